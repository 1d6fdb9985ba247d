// The reference pages over HTTP and in a real browser (docs/spec/reference.md#reference-pages).
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { statusOf } from '#contracts/errors'
import { eventKinds } from '#contracts/objects/webhook-event'
import { duringTests } from '#testing/during-tests'
import { browsers, openBrowser } from '#testing/servers/browser'
import { type Answer, exchange } from '#testing/product/http'
import { openStack } from '#testing/product/stack'

const assets = join(import.meta.dirname, 'assets')
const fromBrowser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const stack = duringTests(() => openStack({ form: 'one-process' }))

const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  exchange(stack.ports[0] ?? 0, path, { headers })
const linksOf = ({ text }: Answer) => [...text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, target = '']) => target)

describe('the documents', () => {
  test('every link of every page leads to a page and an anchor that exist, or to a named site', async () => {
    const pages = new Map<string, Answer>()
    const broken: string[] = []
    const visit = async (path: string): Promise<void> => {
      if (!/^\/(docs|openapi)/.test(path) || pages.has(path)) return
      const page = await get(path)
      pages.set(path, page)
      if (page.status !== 200) broken.push(`${path}: ${page.status}`)
      for (const link of page.headers['content-type']?.startsWith('text/html') ? linksOf(page) : []) {
        await visit(link.split('#')[0] ?? '')
      }
    }
    await visit('/docs')
    for (const [path, page] of pages) {
      if (!page.headers['content-type']?.startsWith('text/html')) continue
      for (const link of linksOf(page).filter((one) => !/^(https:|data:,$|\/$)/.test(one))) {
        const [file = '', anchor] = link.split('#')
        const target = pages.get(file === '' ? path : file)
        if (target === undefined || (anchor !== undefined && !target.text.includes(`id="${anchor}"`))) {
          broken.push(`${path}: ${link}`)
        }
      }
    }
    expect(broken).toEqual([])
    expect([...pages.keys()]).toEqual(expect.arrayContaining(['/docs/guides/sellers', '/docs/mcp', '/docs/imports']))
  })

  test('the pictures of the repository are left out', async () => {
    expect(readFileSync(join(import.meta.dirname, '../../../docs/guides/sellers.md'), 'utf8')).toMatch(/^!\[/m)
    expect((await get('/docs/guides/sellers')).text).not.toMatch(/<img|<p><\/p>/)
  })

  test('every error code has an anchor under /docs/errors, and every event one with its body', async () => {
    const { text } = await get('/docs/errors')
    const { unavailable: _internal, ...codes } = statusOf
    const anchors = [...text.matchAll(/<h2 id="([a-z_]+)"/g)].map(([, anchor]) => anchor)
    expect(anchors).toEqual(Object.keys(codes))
    const { text: events } = await get('/docs/events')
    for (const kind of eventKinds) expect(events).toContain(`<details id="${kind}">`)
  })

  test('a page that has not changed is not sent again', async () => {
    const { headers } = await get('/docs/guides/agents')
    expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' })
    const again = await get('/docs/guides/agents', { 'if-none-match': headers.etag ?? '' })
    expect([again.status, again.text]).toEqual([304, ''])
  })
})

describe('scripts and style', () => {
  test('the bundle is the file of the published package that NOTICE.md names', () => {
    const bundle = gunzipSync(readFileSync(join(assets, 'scalar.js.gz')))
    const notice = readFileSync(join(assets, 'NOTICE.md'), 'utf8')
    expect(notice).toContain(createHash('sha256').update(bundle).digest('hex'))
  })

  test('a browser keeps them for a year, and gets the bundle compressed when it can read that', async () => {
    const scripts = linksOf(await get('/docs')).filter((link) => link.startsWith('/docs/assets/'))
    expect(scripts.map((path) => path.split('/').at(-1))).toEqual(['docs.css', 'reference.js', 'scalar.js'])
    const [path = ''] = scripts.slice(-1)
    const plain = await get(path)
    expect(plain.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      vary: expect.stringMatching(/accept-encoding/i),
    })
    expect(plain.headers).not.toHaveProperty('content-encoding')
    expect(plain.text.length).toBeGreaterThan(4_000_000)
    const { headers } = await get(path, { 'accept-encoding': 'gzip' })
    expect(headers).toMatchObject({ 'content-encoding': 'gzip' })
    expect(Number(headers['content-length'])).toBeLessThan(1_400_000)
    expect((await get(path, { 'if-none-match': headers.etag ?? '' })).status).toBe(304)
  })
})

describe('the root path', () => {
  test('a browser gets a page that leads to the reference', async () => {
    const number = stack.ports[0] ?? 0
    const page = await exchange(number, '/', { headers: fromBrowser })
    expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } })
    const [link = ''] = linksOf(page).filter((one) => one.endsWith('/docs'))
    const reference = await fetch(new URL(link, `http://127.0.0.1:${number}`), { headers: fromBrowser })
    expect([reference.status, await reference.text()]).toEqual([200, expect.stringContaining('id="reference"')])
  })

  test('everybody else is answered as on an unknown path', async () => {
    const code = ({ status, body }: Answer) => [status, (body as { error: { code: string } }).error.code]
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5']) {
      expect(code(await get('/', { accept }))).toEqual([404, 'not_found'])
      expect(code(await exchange(stack.adminPorts[0] ?? 0, '/', { headers: { accept } }))).toEqual([
        401,
        'unauthorized',
      ])
    }
    const posted = await exchange(stack.ports[0] ?? 0, '/', { method: 'POST', headers: fromBrowser })
    expect(code(posted)).toEqual([404, 'not_found'])
  })
})

for (const browserName of browsers) {
  describe(`the reference in ${browserName}`, () => {
    let browser: Awaited<ReturnType<typeof openBrowser>>
    beforeAll(async () => {
      browser = await openBrowser()
    })
    afterAll(() => browser.close())

    test.each(['light', 'dark'] as const)(
      '%s: shows the operations and the events, without a foreign request, an error or a violation of the policy',
      async (colorScheme) => {
        const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 800 } })
        const page = await context.newPage()
        const origin = `http://127.0.0.1:${stack.ports[0]}`
        const foreign: string[] = []
        const problems: string[] = []
        page.on('request', (request) => {
          if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) foreign.push(request.url())
        })
        page.on('console', (message) => {
          if (message.type() !== 'info' && message.type() !== 'debug') problems.push(message.text())
        })
        page.on('pageerror', ({ message }) => problems.push(message))
        await page.addInitScript(`document.addEventListener('securitypolicyviolation', (violation) =>
          console.error(violation.effectiveDirective, violation.sourceFile, violation.lineNumber))`)
        const answer = await page.goto(`${origin}/docs`)
        expect(answer?.headers()['content-security-policy']).toMatch(/^default-src 'self'; script-src 'self'; /)
        await page.getByRole('heading', { name: 'List orders' }).waitFor()
        await page.getByText(`${origin}/api/v1/orders`).first().waitFor() // The command to copy.
        await page.getByRole('button', { name: 'Open Group - Webhooks' }).click()
        await page.getByText('order.shipped').first().click()
        await page.getByRole('heading', { name: 'order.shipped' }).waitFor()
        const background = await page.evaluate('getComputedStyle(document.body).backgroundColor')
        expect(background).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(19, 24, 22)')
        expect({ foreign, problems }).toEqual({ foreign: [], problems: [] })
        await context.close()
      },
    )
  })
}
