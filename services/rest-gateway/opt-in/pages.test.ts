// The pages of the double opt-in over HTTP: the link, "this was not me", the signup form; then the whole way in a real browser, from
// POST /contacts through a mail server to the consent (docs/spec/double-opt-in.md#pages). The HTML of each page: html.test.ts.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Contact } from '#contracts/objects/contact'
import { openClient } from '#testing/database'
import { duringTests } from '#testing/during-tests'
import { browsers, openBrowser } from '#testing/servers/browser'
import { until } from '#testing/until'
import { forms } from '#testing/product/deployment-forms'
import { type Answer, exchange, type Sent } from '#testing/product/http'
import { linkIn, type MailReceiver, openMailReceiver } from '#testing/servers/mail-receiver'
import { openStack } from '#testing/product/stack'

const form = 'application/x-www-form-urlencoded'
const ofPages = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': expect.stringMatching(
    /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  ),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
}

describe.each(forms)('the pages, %s', (deployment) => {
  let receiver: MailReceiver
  let taken = Promise.resolve() // The mail server answers for no mail before.
  const stack = duringTests(async () => {
    receiver = await openMailReceiver({ beforeAnswer: () => taken })
    const env = { SMTP_URL: receiver.smtpUrl, TRUSTED_PROXIES: '127.0.0.0/8,::1/128' }
    return openStack({ form: deployment, env })
  })
  afterAll(() => receiver.close())
  const database = duringTests(() => openClient(stack.databaseUrl))
  let shop: { id: string; handle: string }
  let key: string
  let people = 0
  let sources = 0
  let source: string

  beforeEach(async () => {
    shop = await stack.makeShop({ name: 'Bloom & Söhne' })
    key = (await stack.makeKey(shop.id, 'write')).secret
    receiver.mails.length = 0
    source = `198.51.100.${++sources}` // Each test has a source address of its own.
  })

  const page = (method: string, path: string, { headers, body }: Omit<Sent, 'method'> = {}): Promise<Answer> =>
    exchange(stack.ports[0] ?? 0, path, { method, headers: { 'x-forwarded-for': source, ...headers }, body })
  const pathOf = (link: string) => new URL(link).pathname
  const contact = async (email: string) => {
    const { body } = await stack.get(`/api/v1/contacts?email=${encodeURIComponent(email)}`, { key })
    return (body as { data: Contact[] }).data[0]
  }
  const heading = ({ text }: Answer) => /<h1>(.*?)<\/h1>/.exec(text)?.[1]
  const postForm = (body: string, handle = shop.handle) =>
    page('POST', `/s/${handle}/signup`, { headers: { 'content-type': form }, body })
  const signUp = (fields: Record<string, string>, handle?: string) =>
    postForm(new URLSearchParams(fields).toString(), handle)

  /** A person who was sent a mail: their address, and the path of the link. */
  async function invite() {
    const email = `person${++people}@example.com`
    const { body } = await stack.post('/api/v1/contacts', { key, json: { email, name: 'Ada', sendOptIn: true } })
    expect(body).toMatchObject({ data: { optInSent: true, marketingConsentAt: null } })
    return { email, path: pathOf(linkIn(receiver.mails.findLast(({ to }) => to.includes(email)))) }
  }

  describe('the link', () => {
    test('GET shows the question and changes nothing, however often', async () => {
      const { email, path } = await invite()
      const before = await contact(email)
      for (const method of ['GET', 'GET', 'HEAD', 'GET']) {
        const answer = await page(method, path)
        expect(answer).toMatchObject({ status: 200, headers: ofPages })
        expect(answer.headers).not.toHaveProperty('set-cookie')
        if (method === 'HEAD') expect(answer.text).toBe('')
        else expect(answer.text).toContain('<form method="post"><button type="submit">Yes, I agree</button></form>')
      }
      expect(await contact(email)).toEqual(before)
    })

    test('POST writes the consent once, with its evidence; the link then shows that it is confirmed', async () => {
      const { email, path } = await invite()
      const began = new Date().toISOString()
      const answer = await page('POST', path, { headers: { 'user-agent': 'Firefox on a phone' } })
      expect(answer).toMatchObject({ status: 200, headers: ofPages })
      expect(heading(answer)).toBe('Thank you, that is confirmed')
      const after = await contact(email)
      expect(String(after?.marketingConsentAt) >= began).toBe(true)
      expect(after?.updatedAt).toBe(after?.marketingConsentAt)
      for (const method of ['GET', 'POST']) expect((await page(method, path)).text).toBe(answer.text)
      expect(await contact(email)).toEqual(after)
      const { rows } = await database.query(
        'select kind, email, at, address, agent, text_version, source from contacts.consents where contact_id = $1',
        [after?.id],
      )
      expect(rows).toEqual([
        {
          kind: 'given',
          email,
          at: new Date(after?.marketingConsentAt ?? 0),
          address: source,
          agent: 'Firefox on a phone',
          text_version: 'en-1',
          source: 'api',
        },
      ])
      expect((await stack.get('/api/v1/contacts?consented=true', { key })).body).toMatchObject({ data: [after] })
    })

    test('unknown, malformed, expired and superseded links are one page, byte for byte', async () => {
      const old = await invite()
      await database.query("update contacts.opt_in_requests set created_at = created_at - interval '11 minutes'")
      const { body } = await stack.post('/api/v1/contacts', { key, json: { email: old.email, sendOptIn: true } })
      expect(body).toMatchObject({ data: { optInSent: true } })
      const expired = await invite()
      await database.query('update contacts.opt_in_requests set expires_at = now() where email = $1', [expired.email])
      const none = await page('GET', `/opt-in/${'A'.repeat(43)}`)
      expect(none).toMatchObject({ status: 404, headers: ofPages })
      expect(heading(none)).toBe('This link is not valid any more')
      const malformed = ['x', 'A'.repeat(44), 'A'.repeat(5_000), '%00', '%E0%A4%A', '..%2F..', '%3Cscript%3E']
      const unknown = [...malformed, `${'A'.repeat(43)}/not-me`].map((token) => `/opt-in/${token}`)
      for (const path of [old.path, expired.path, ...unknown]) {
        for (const method of ['GET', 'POST']) {
          const { status, headers, text } = await page(method, path)
          expect({ path, method, status, text }).toEqual({ path, method, status: 404, text: none.text })
          expect(headers).toMatchObject(ofPages)
        }
      }
      expect(await contact(old.email)).toMatchObject({ marketingConsentAt: null })
    })

    test('other methods are 405, and a trailing slash is 404', async () => {
      const { path } = await invite()
      for (const target of [path, `${path}/not-me`, `/s/${shop.handle}/signup`]) {
        for (const method of ['PUT', 'DELETE', 'OPTIONS']) {
          const answer = await page(method, target)
          expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD, POST'])
        }
        expect((await page('GET', `${target}/`)).status).toBe(404)
      }
    })
  })

  describe('"this was not me"', () => {
    test('GET shows a question and changes nothing; POST stops the mails of this shop', async () => {
      const { email, path } = await invite()
      const question = await page('GET', `${path}/not-me`)
      expect(question).toMatchObject({ status: 200, headers: ofPages })
      expect(heading(question)).toBe('No more news from <bdi>Bloom &amp; Söhne</bdi>?')
      expect((await page('GET', path)).status).toBe(200)
      expect(heading(await page('POST', `${path}/not-me`))).toBe('Sorry for the trouble')
      expect((await page('POST', `${path}/not-me`)).status).toBe(200)
      expect((await page('POST', path)).status).toBe(404)
      await database.query("update contacts.opt_in_requests set created_at = created_at - interval '2 days'")
      const again = await stack.post('/api/v1/contacts', { key, json: { email, sendOptIn: true } })
      expect(again.body).toMatchObject({ data: { optInSent: false, marketingConsentAt: null } })
      expect(receiver.mails).toHaveLength(1)
    })

    test.each([
      ['in the form of RFC 8058', form, 'List-Unsubscribe=One-Click'],
      ['as a multipart form', 'multipart/form-data; boundary=x', '--x\r\n\r\nList-Unsubscribe=One-Click\r\n--x--\r\n'],
      ['with another body', 'text/plain', 'x'.repeat(70_000)],
      ['without a body', undefined, undefined],
    ])('one-click unsubscribe, %s, withdraws a consent', async (_how, type, body) => {
      const { email, path } = await invite()
      await page('POST', path)
      const unsubscribe = /^List-Unsubscribe: <(\S+)>\r$/m.exec(receiver.mails.at(-1)?.raw ?? '')?.[1] ?? ''
      expect(pathOf(unsubscribe)).toBe(`${path}/not-me`)
      const headers = { origin: 'https://mail.example.com', cookie: 'a=b', ...(type && { 'content-type': type }) }
      expect(await page('POST', pathOf(unsubscribe), { headers, body })).toMatchObject({ status: 200 })
      const after = await contact(email)
      expect(after).toMatchObject({ marketingConsentAt: null })
      const { rows } = await database.query('select kind from contacts.consents where contact_id = $1 order by at', [
        after?.id,
      ])
      expect(rows).toEqual([{ kind: 'given' }, { kind: 'withdrawn' }])
    })
  })

  describe('the signup form', () => {
    test('creates a contact with the source signup, and sends the mail', async () => {
      const empty = await page('GET', `/s/${shop.handle}/signup`)
      expect(empty).toMatchObject({ status: 200, headers: ofPages })
      expect(heading(empty)).toBe('News from <bdi>Bloom &amp; Söhne</bdi>')
      const email = `person${++people}@example.com`
      expect(heading(await signUp({ email: ` ${email.toUpperCase()}`, name: 'Zoë' }))).toBe('Please check your mailbox')
      expect(await contact(email)).toMatchObject({ name: 'Zoë', source: 'signup', marketingConsentAt: null, tags: [] })
      await until(() => receiver.mails.length === 1)
      await page('POST', pathOf(linkIn(receiver.mails[0])))
      expect(await contact(email)).toMatchObject({ marketingConsentAt: expect.any(String) })
    })

    test('answers the same for a new person, a known one, one with a consent and one who just got a mail', async () => {
      const { email, path } = await invite()
      const unsent = () => stack.logged().split('no opt-in mail was sent').length
      const before = unsent()
      const fresh = await signUp({ email: `person${++people}@example.com`, name: '' })
      expect((await signUp({ email })).text).toBe(fresh.text)
      await page('POST', path)
      expect((await signUp({ email, name: 'Somebody else' })).text).toBe(fresh.text)
      await until(() => unsent() === before + 2 && receiver.mails.length >= 2)
      expect(receiver.mails).toHaveLength(2)
      expect(await contact(email)).toMatchObject({ name: 'Ada', source: 'api' })
    })

    test('answers before the mail server does, however slow that is', async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      taken = promise
      const emails = Array.from({ length: 4 }, () => `person${++people}@example.com`)
      for (const email of emails) expect((await signUp({ email })).status).toBe(200)
      await until(() => receiver.mails.length === 4)
      const refused = stack.logged().includes('"because":"mail"')
      resolve()
      expect(refused).toBe(false)
    })

    test('a bad email is shown again, with the values of the form', async () => {
      const answer = await signUp({ email: '"><script>', name: 'Zoë' })
      expect(answer).toMatchObject({ status: 400, headers: ofPages })
      expect(answer.text).toContain('No mail can be sent to this address. Please check how it is written.')
      expect(answer.text).toContain('value="&quot;&gt;&lt;script&gt;"')
      expect(answer.text).toContain('value="Zoë"')
      for (const body of ['', 'email=', 'name=x', 'email=%00', '{"email":"a@example.com"}']) {
        expect((await postForm(body)).status).toBe(400)
      }
      expect((await signUp({ email: 'x'.repeat(70_000) })).status).toBe(400)
    })

    test('a name that cannot be stored is dropped', async () => {
      const email = `person${++people}@example.com`
      expect((await signUp({ email, name: `${'x'.repeat(256)}` })).status).toBe(200)
      expect((await signUp({ email, name: 'a\u0000b' })).status).toBe(200)
      expect(await contact(email)).toMatchObject({ name: email })
    })

    test('is 404 for an unknown handle, an id and what is no handle', async () => {
      for (const handle of ['nobody', shop.id, shop.handle.toUpperCase(), '%00', 'x'.repeat(2_000)]) {
        for (const answer of [
          await page('GET', `/s/${handle}/signup`),
          await signUp({ email: 'a@b.example' }, handle),
        ]) {
          expect({ handle, status: answer.status }).toEqual({ handle, status: 404 })
          expect(heading(answer)).toBe('There is no such page')
        }
      }
    })
  })

  test('one source address may send 60 forms a minute; valid links do not count', async () => {
    const { path } = await invite()
    for (let count = 0; count < 70; count += 1) expect((await page('POST', path)).status).toBe(200)
    for (let count = 0; count < 60; count += 1) expect((await page('POST', '/opt-in/x')).status).toBe(404)
    for (const target of ['/opt-in/x', `/s/${shop.handle}/signup`, path]) {
      const answer = await page('POST', target)
      expect(answer).toMatchObject({
        status: 429,
        headers: { ...ofPages, 'retry-after': expect.stringMatching(/^\d+$/) },
      })
      expect(heading(answer)).toBe('That did not work just now')
    }
    expect((await page('GET', path)).status).toBe(200)
    source = '203.0.113.1'
    expect((await page('POST', path)).status).toBe(200)
  })

  test('no token and no address is in the log; the route is a pattern', async () => {
    const { email, path } = await invite()
    await page('GET', path)
    await page('POST', `${path}/not-me`)
    expect(stack.logged()).toContain('"route":"/opt-in/{token}/not-me"')
    expect(stack.logged()).not.toContain(path.slice('/opt-in/'.length))
    expect(stack.logged()).not.toContain(email)
  })

  test('a server error is a page without a cause', async () => {
    const { path } = await invite()
    await database.query('alter table contacts.opt_in_requests rename to hidden')
    try {
      const answer = await page('GET', path)
      expect(answer).toMatchObject({ status: 500, headers: ofPages })
      expect(heading(answer)).toBe('That did not work just now')
    } finally {
      await database.query('alter table contacts.hidden rename to opt_in_requests')
    }
    expect((await page('GET', path)).status).toBe(200)
  })

  for (const browserName of browsers) {
    describe(`in ${browserName}`, () => {
      let browser: Awaited<ReturnType<typeof openBrowser>>
      beforeAll(async () => {
        browser = await openBrowser()
      })
      afterAll(() => browser.close())

      /** A page of a phone without scripts; collects console messages and requests to other origins. */
      async function openPhone() {
        const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
        const visit = await context.newPage()
        const problems: string[] = []
        visit.on('console', (message) => problems.push(message.text()))
        visit.on('request', (request) => {
          const { origin, protocol } = new URL(request.url())
          if (protocol !== 'data:' && origin !== `http://127.0.0.1:${stack.ports[0]}`) problems.push(request.url())
        })
        return { visit, problems, close: () => context.close() }
      }

      test('from POST /contacts through the mail to the consent', async () => {
        const email = `person${++people}@example.com`
        const { body } = await stack.post('/api/v1/contacts', { key, json: { email, sendOptIn: true } })
        expect(body).toMatchObject({ data: { optInSent: true, marketingConsentAt: null } })
        const { visit, problems, close } = await openPhone()
        await visit.goto(linkIn(receiver.mails.at(-1)))
        expect(await visit.title()).toBe('Please confirm – Bloom & Söhne')
        expect(await contact(email)).toMatchObject({ marketingConsentAt: null })
        await visit.getByRole('button', { name: 'Yes, I agree' }).click()
        await visit.getByRole('heading', { name: 'Thank you, that is confirmed' }).waitFor()
        expect(await contact(email)).toMatchObject({ marketingConsentAt: expect.any(String) })
        expect(problems).toEqual([])
        await close()
      })

      test('from the signup form through the mail to "this was not me"', async () => {
        const email = `person${++people}@example.com`
        const { visit, problems, close } = await openPhone()
        await visit.goto(`http://127.0.0.1:${stack.ports[0]}/s/${shop.handle}/signup`)
        await visit.getByLabel('Email').fill('zoe@localhost')
        await visit.getByLabel('Name').fill('Zoë')
        await visit.getByRole('button', { name: 'Send me the link' }).click()
        await visit.getByRole('alert').waitFor()
        await visit.getByLabel('Email').fill(email)
        await visit.getByRole('button', { name: 'Send me the link' }).click()
        await visit.getByRole('heading', { name: 'Please check your mailbox' }).waitFor()
        await until(() => receiver.mails.length === 1)
        await visit.goto(linkIn(receiver.mails.at(-1)))
        await visit.getByRole('link', { name: 'This was not me' }).click()
        await visit.getByRole('button', { name: 'Do not write to me again' }).click()
        await visit.getByRole('heading', { name: 'Sorry for the trouble' }).waitFor()
        await visit.goto(linkIn(receiver.mails.at(-1)))
        await visit.getByRole('heading', { name: 'This link is not valid any more' }).waitFor()
        expect(await contact(email)).toMatchObject({ marketingConsentAt: null, name: 'Zoë', source: 'signup' })
        expect(problems.filter((text) => !/status of 40[04]/.test(text))).toEqual([])
        await close()
      })
    })
  }
})
