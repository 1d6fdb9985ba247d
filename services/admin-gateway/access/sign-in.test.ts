// Sign-in in a real browser: what its pages, and pages of other sites, can do with the session (docs/spec/operators-and-roles.md#sign-in). The rules
// over HTTP: session.test.ts.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { browsers, openBrowser } from '#testing/servers/browser'
import { CLIENT_SECRET, type Issuer, openIssuer } from '#testing/servers/openid-provider'
import { openStack, type Stack } from '#testing/product/stack'

type Json = Record<string, unknown> & { id: string }
type Sent = {
  method?: string
  headers?: Record<string, string>
  body?: string
  mode?: 'no-cors'
  credentials?: 'include'
}

for (const browserName of browsers) {
  describe(`in ${browserName}`, () => {
    let stack: Stack
    let issuer: Issuer
    let elsewhere: Server
    let browser: Browser
    let context: BrowserContext
    let page: Page
    let origin: string
    let operator: Json
    beforeAll(async () => {
      issuer = await openIssuer('localhost') // To a browser another site than 127.0.0.1.
      const env = { OIDC_ISSUER: issuer.url, OIDC_CLIENT_ID: 'console', OIDC_CLIENT_SECRET: CLIENT_SECRET }
      stack = await openStack({ form: 'one-process', env })
      issuer.serve(stack.adminPorts)
      origin = `http://127.0.0.1:${stack.adminPorts[0]}`
      const facts = { name: 'Mina', email: 'mina@shop.example', role: 'owner' }
      operator = (await stack.admin('POST', '/operators', facts)).data as Json
      elsewhere = createServer((_request, response) => {
        response.setHeader('content-type', 'text/html').end('<!doctype html><title>Elsewhere</title>')
      })
      await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
      browser = await openBrowser()
    })
    afterAll(async () => {
      await browser.close()
      elsewhere.close()
      await stack.stop()
      issuer.close()
    })
    beforeEach(async () => {
      context = await browser.newContext()
      page = await context.newPage()
      await page.goto(`${origin}/admin/v1/me`)
    })
    afterEach(() => context.close())

    /** Sends a call from the page; gives the status and the body, or null where the browser shows neither to the page. */
    const send = (path: string, sent: Sent = {}) => {
      const script = `fetch(${JSON.stringify(`${origin}/admin/v1${path}`)}, ${JSON.stringify(sent)})
        .then(async (answer) => ({ status: answer.status, body: await answer.json().catch(() => null) }), () => null)`
      return page.evaluate<{ status: number; body: { data?: Json } | null } | null>(script)
    }
    const signIn = (credentials: object) =>
      send('/session', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(credentials),
      })
    const codeOf = async () =>
      ((await stack.admin('POST', `/operators/${operator.id}/sign-in-links`)).data as Json).code

    test('a link signs in once: the cookie is for this origin and not for scripts, and signing out ends it', async () => {
      const code = await codeOf()
      expect(await signIn({ code })).toMatchObject({ status: 201, body: { data: { id: operator.id } } })
      expect(await page.evaluate('document.cookie')).toBe('')
      const [cookie, ...more] = await context.cookies()
      expect(more).toEqual([])
      expect(cookie).toMatchObject({
        ...{ name: 'storefront_session', domain: '127.0.0.1', path: '/' },
        ...{ httpOnly: true, sameSite: 'Strict', secure: false },
      })
      const hours = ((cookie?.expires ?? 0) - Date.now() / 1_000) / 3_600
      expect(Math.round(hours)).toBe(12)
      expect(await send('/me')).toMatchObject({ status: 200, body: { data: { name: 'Mina' } } })

      expect(await send('/session', { method: 'DELETE' })).toMatchObject({ status: 403 })
      const headers = { 'x-storefront-console': '1' } // The browser adds the Origin.
      expect(await send('/session', { method: 'DELETE', headers })).toMatchObject({ status: 200 })
      expect([await context.cookies(), (await send('/me'))?.status]).toEqual([[], 401])
      expect((await signIn({ code }))?.status).toBe(401)
    })

    test('a token signs in, and the session changes things with the header of the console', async () => {
      const { data } = await stack.admin('POST', `/operators/${operator.id}/tokens`, { name: 'laptop' })
      expect((await signIn({ token: (data as Json).secret }))?.status).toBe(201)
      const shop = { handle: 'by-mina', name: 'By Mina', currency: 'EUR', timeZone: 'UTC' }
      const headers = { 'content-type': 'application/json', 'x-storefront-console': '1' }
      const made = await send('/shops', { method: 'POST', headers, body: JSON.stringify(shop) })
      expect(made).toMatchObject({ status: 201, body: { data: { handle: 'by-mina' } } })
    })

    test.each([
      ['another site', 'localhost'],
      ['another port of this host, to which the browser sends the cookie,', '127.0.0.1'],
    ])('a page of %s can neither read nor change anything by the session', async (_place, host) => {
      await signIn({ code: await codeOf() })
      const facts = { name: 'Bob', email: `bob@${host}.example`, role: 'viewer', shops: [] }
      const bob = (await stack.admin('POST', '/operators', facts)).data as Json
      await page.goto(`http://${host}:${(elsewhere.address() as AddressInfo).port}/`)
      expect(await send('/me', { credentials: 'include' })).toBe(null)
      // A form of the page could send this one: it has no body and no header of its own.
      const disable = { method: 'POST', credentials: 'include' } as const
      expect(await send(`/operators/${bob.id}/disable`, { ...disable, mode: 'no-cors' })).toEqual({
        status: 0,
        body: null,
      })
      const headers = { 'x-storefront-console': '1' }
      expect(await send(`/operators/${bob.id}/disable`, { ...disable, headers })).toBe(null)
      expect((await stack.admin('GET', `/operators/${bob.id}`)).data).toMatchObject({ disabledAt: null })
      await page.goto(`${origin}/admin/v1/me`)
      expect((await send('/me'))?.status).toBe(200)
    })

    test('OpenID Connect: through the provider, which is another site, back to a page that knows the operator', async () => {
      issuer.claims = { email: 'mina@shop.example', email_verified: true }
      const visited: string[] = []
      page.on('request', (request) => visited.push(new URL(request.url()).origin))
      const arrived = await page.goto(`${origin}/admin/v1/session/oidc`)
      expect([arrived?.status(), page.url()]).toEqual([200, `${origin}/`])
      expect(visited).toContain(issuer.url)
      expect((await context.cookies(origin)).map(({ name, sameSite }) => [name, sameSite])).toEqual([
        ['storefront_session', 'Strict'],
      ])
      await page.goto(`${origin}/admin/v1/me`)
      expect(await send('/me')).toMatchObject({ status: 200, body: { data: { id: operator.id } } })

      issuer.claims = { email: 'stranger@shop.example', email_verified: true }
      const refused = await (await browser.newContext()).newPage()
      const answer = await refused.goto(`${origin}/admin/v1/session/oidc`)
      expect([answer?.status(), await refused.content()]).toEqual([
        403,
        expect.stringContaining('An owner can add one'),
      ])
      await refused.context().close()
    })
  })
}
