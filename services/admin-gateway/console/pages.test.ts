// How the gateway serves the console (docs/spec/console.md#safe, docs/spec/console.md#serving).
import { describe, expect, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import { type Answer, exchange } from '#testing/product/http'
import { openStack } from '#testing/product/stack'

const fromBrowser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const stack = duringTests(() => openStack({ form: 'one-process' }))
const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
  exchange(stack.adminPorts[0] ?? 0, path, { method, headers })
const assetsOf = ({ text }: Answer) =>
  [...text.matchAll(/(?:href|src)="(\/assets\/[^"]*)"/g)].map(([, path = '']) => path)

describe('the page', () => {
  test.each([
    '/',
    '/sign-in',
    '/s/demo',
    '/s/demo/orders/1',
    '/operators',
    '/operators/1',
    '/audit',
    '/audit/1',
    '/reference',
    '/reference/get/orders',
  ])('%s: a browser gets it, and everybody else the answer of the API', async (path) => {
    const page = await get(path, fromBrowser)
    expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } })
    expect(page.headers.vary).toMatch(/accept/i)
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5']) {
      expect(await get(path, { accept })).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } })
    }
    expect((await get(path, fromBrowser, 'POST')).status).toBe(401)
  })

  test('another path is no page, also to a browser', async () => {
    for (const path of ['/admin/v1/shops', '/s', '/orders', '/assets/none.js', '/sign-in/x']) {
      expect((await get(path, fromBrowser)).status).toBe(401)
    }
  })

  test('allows nothing but its own host, no inline script, and no frame around it', async () => {
    const { headers, text } = await get('/', fromBrowser)
    expect(headers['content-security-policy']).toBe(
      "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    )
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=/)
  })

  test('is asked for at each visit and sent when it has changed', async () => {
    const { headers } = await get('/', fromBrowser)
    expect(headers['cache-control']).toBe('no-cache')
    const again = await get('/s/demo', { ...fromBrowser, 'if-none-match': headers.etag ?? '' })
    expect([again.status, again.text]).toEqual([304, ''])
  })
})

describe('scripts and styles', () => {
  test('stay with a browser for a year, and come in the brotli form that was made with them', async () => {
    const paths = assetsOf(await get('/', fromBrowser))
    expect(new Set(paths.map((path) => path.split('.').at(-1)))).toEqual(new Set(['css', 'js']))
    for (const path of paths) {
      const plain = await get(path)
      expect(plain.headers).toMatchObject({ 'cache-control': 'public, max-age=31536000, immutable' })
      expect(plain.headers).not.toHaveProperty('content-encoding')
      const small = await get(path, { 'accept-encoding': 'gzip, br' })
      expect(small.headers).toMatchObject({ 'content-encoding': 'br', vary: expect.stringMatching(/accept-encoding/i) })
      expect(small.text).toBe(plain.text)
      expect(small.bytes).toBeLessThan(plain.bytes)
      expect((await get(path, { 'if-none-match': plain.headers.etag ?? '' })).status).toBe(304)
    }
    // A small file is not worth it.
    const [main = ''] = paths.filter((path) => /index-.*\.js$/.test(path))
    const gzipped = await get(main, { 'accept-encoding': 'gzip' })
    expect([gzipped.headers['content-encoding'], gzipped.text]).toEqual(['gzip', (await get(main)).text])
  })

  test('HEAD answers the headers alone', async () => {
    const [path = ''] = assetsOf(await get('/', fromBrowser))
    expect(await get(path, {}, 'HEAD')).toMatchObject({ status: 200, text: '' })
  })
})
