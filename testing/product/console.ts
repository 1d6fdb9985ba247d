// The console in a real browser against a running product: an operator who is signed in, and everything about the page that must
// never happen.
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from '@jest/globals'
import type { Browser, BrowserContextOptions, BrowserContext, Page } from 'playwright-core'
import { browsers, openBrowser } from '../servers/browser.ts'
import { openReceiver, type Receiver } from '../servers/receiver.ts'
import { openStack, type Stack } from './stack.ts'

export type Person = { id: string; email: string }
export type ConsolePage = {
  page: Page
  context: BrowserContext
  origin: string
  /** Requests to other hosts, errors of the page, and violations of its policy; stays empty. */
  wrong: string[]
}
type Role = 'owner' | 'manager' | 'viewer' | 'support'

export function consoleOrigin(stack: Stack): string {
  return `http://127.0.0.1:${stack.adminPorts[0]}`
}

/** An operator; `shops` are ids, and null for an owner. */
export async function makeOperator(stack: Stack, role: Role, shops: string[] | null = null): Promise<Person> {
  const facts = { name: `${role} of a test`, email: `${randomUUID()}@shop.example`, role, shops }
  return (await stack.admin('POST', '/operators', facts)).data as Person
}

/** A one-time link, as `npm start` prints it. */
export async function signInLink(stack: Stack, { id }: Person): Promise<string> {
  const { data } = await stack.admin('POST', `/operators/${id}/sign-in-links`)
  return `${consoleOrigin(stack)}/#code=${(data as { code: string }).code}`
}

/** The secret of a new token. */
export async function makeToken(stack: Stack, { id }: Person): Promise<string> {
  const { data } = await stack.admin('POST', `/operators/${id}/tokens`, { name: 'test', expiresAt: null })
  return (data as { secret: string }).secret
}

/** A page of nobody yet. */
export async function openConsole(
  stack: Stack,
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const page = await context.newPage()
  const origin = consoleOrigin(stack)
  const wrong: string[] = []
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) wrong.push(`foreign request: ${url}`)
  })
  page.on('pageerror', ({ message }) => wrong.push(`error: ${message}`))
  page.on('console', (message) => {
    // A refused call is no error of the page.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) wrong.push(message.text())
  })
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (violation) =>
    console.error('policy: ' + violation.effectiveDirective + ' ' + violation.blockedURI))`)
  return { page, context, origin, wrong }
}

/** The same, signed in by a link, at a path of the console. */
export async function openSignedIn(
  stack: Stack,
  browser: Browser,
  person: Person,
  path: string,
  options: BrowserContextOptions = {},
): Promise<ConsolePage> {
  const opened = await openConsole(stack, browser, options)
  await opened.page.goto(await signInLink(stack, person))
  await opened.page.getByRole('banner').waitFor()
  await opened.page.goto(opened.origin + path)
  await opened.page.getByRole('heading', { level: 1 }).waitFor()
  return opened
}

/** What the tests of `describeConsole` have while they run. */
export type ConsoleTest = {
  readonly stack: Stack
  /** Accepts what is delivered; `url` may be that of an endpoint. */
  readonly receiver: Receiver
  /** Each test has a new one. */
  readonly shop: { id: string; handle: string }
  /** The page that was opened last. */
  readonly view: ConsolePage
  /** Opens `/s/{shop}{path}` for a new operator of the shop. */
  open(path: string, options?: BrowserContextOptions & { role?: Role }): Promise<Page>
}

/**
 * Tests of the console with a product, a browser and a receiver of their own, for each browser of this machine. `role` is that of who
 * opens pages. After each test the pages are closed; it fails if one of them did something wrong (`ConsolePage`).
 */
export function describeConsole({ role: usualRole }: { role: Role }, body: (given: ConsoleTest) => void): void {
  for (const browserName of browsers) {
    describe(`in ${browserName}`, () => {
      let stack: Stack
      let browser: Browser
      let receiver: Receiver
      let shop: ConsoleTest['shop']
      let views: ConsolePage[] = []
      beforeAll(async () => {
        stack = await openStack({ form: 'one-process', env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
        browser = await openBrowser()
        receiver = await openReceiver()
      })
      afterAll(async () => {
        await browser.close()
        await receiver.close()
        await stack.stop()
      })
      beforeEach(async () => {
        shop = await stack.makeShop()
        receiver.answer(() => ({}))
      })
      afterEach(async () => {
        const closed = views
        views = []
        for (const { context } of closed) await context.close()
        expect(closed.flatMap(({ wrong }) => wrong)).toEqual([])
      })
      body({
        get stack() {
          return stack
        },
        get receiver() {
          return receiver
        },
        get shop() {
          return shop
        },
        get view() {
          const view = views.at(-1)
          if (view === undefined) throw new Error('No page was opened yet.')
          return view
        },
        async open(path, { role = usualRole, ...options } = {}) {
          const person = await makeOperator(stack, role, role === 'owner' ? null : [shop.id])
          const view = await openSignedIn(stack, browser, person, `/s/${shop.handle}${path}`, options)
          views.push(view)
          return view.page
        },
      })
    })
  }
}
