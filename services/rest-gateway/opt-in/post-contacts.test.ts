// `sendOptIn` of POST /contacts against mail servers that accept, refuse, hang or are down
// (docs/spec/rest-api.md#opt-in-mail-of-a-save, docs/spec/double-opt-in.md#requesting-the-mail).
import { randomInt } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { limits } from '#contracts/limits'
import type { Contact } from '#contracts/objects/contact'
import { forms } from '#testing/product/deployment-forms'
import { linkIn, type MailReceiver, openMailReceiver, openSilentServer } from '#testing/servers/mail-receiver'
import { openStack, type Stack } from '#testing/product/stack'

type Saved = Contact & { optInSent: boolean }

describe.each(forms)('sendOptIn, %s', (form) => {
  let receiver: MailReceiver
  let stack: Stack
  let shopId: string
  let key: string
  let person = 0
  let email: string
  const trouble: NonNullable<Parameters<typeof openMailReceiver>[0]> = {}

  beforeAll(async () => {
    receiver = await openMailReceiver(trouble)
    const env = { SMTP_URL: receiver.smtpUrl, PUBLIC_URL: 'https://shop.example.com' }
    stack = await openStack({ form, replicas: { 'rest-gateway': 2, contacts: 2 }, env })
  })
  afterAll(async () => {
    await stack.stop()
    await receiver.close()
  })
  beforeEach(async () => {
    shopId = (await stack.makeShop({ country: 'GB', name: 'Bloom' })).id
    key = (await stack.makeKey(shopId, 'write')).secret
    receiver.mails.length = 0
    email = `person${++person}@example.com`
  })

  const post = (json: object, gateway = 0) => stack.post('/api/v1/contacts', { key, json, gateway })
  const save = async (json: object): Promise<Saved> => {
    const { status, body } = await post(json)
    expect({ status, body }).toMatchObject({ status: 200 })
    return (body as { data: Saved }).data
  }

  test('is true when the mail server accepted the mail, which has the link and the unsubscribe link', async () => {
    expect(await save({ email, sendOptIn: true })).toMatchObject({ optInSent: true, marketingConsentAt: null })
    const [mail, ...others] = receiver.mails
    expect(others).toEqual([])
    expect(mail?.to).toEqual([email])
    expect(mail?.raw).toContain('Subject: Please confirm: news from Bloom\r\n')
    const link = linkIn(mail)
    expect(link).toMatch(/^https:\/\/shop\.example\.com\/opt-in\/[\w-]{43}$/)
    expect(mail?.raw).toContain(`List-Unsubscribe: <${link}/not-me>\r\n`)
    expect(mail?.raw).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n')
  })

  test('no mail is sent unless requested', async () => {
    for (const sendOptIn of [false, null, undefined]) {
      expect(await save({ email, sendOptIn })).toMatchObject({ optInSent: false })
    }
    expect(receiver.mails).toEqual([])
  })

  test('a second one within ten minutes is not sent, in whatever spelling of the mailbox', async () => {
    expect(await save({ email, sendOptIn: true })).toMatchObject({ optInSent: true })
    for (const spelling of [email, email.toUpperCase(), email.replace('@', '+news@')]) {
      expect(await save({ email: spelling, sendOptIn: true })).toMatchObject({ optInSent: false })
    }
    expect(receiver.mails).toHaveLength(1)
  })

  test('of 30 calls at once for one person one sends a mail', async () => {
    const calls = Array.from({ length: 30 }, (_nothing, index) =>
      post({ email, sendOptIn: true }, index % stack.ports.length),
    )
    const answers = await Promise.all(calls)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(answers.filter(({ body }) => (body as { data: Saved }).data.optInSent)).toHaveLength(1)
    expect(receiver.mails).toHaveLength(1)
  })

  test('a person without an address gets none, and the contact is saved', async () => {
    const saved = await save({ phone: '020 7946 0958', sendOptIn: true })
    expect(saved).toMatchObject({ optInSent: false, phone: '+442079460958' })
    expect(receiver.mails).toEqual([])
  })

  test('found by phone: to the address on file, unless the request names another one', async () => {
    await save({ email, phone: '020 7946 0958' })
    const other = { phone: '020 7946 0958', email: 'other@example.com', sendOptIn: true }
    expect(await save(other)).toMatchObject({ optInSent: false, email })
    expect(receiver.mails).toEqual([])
    expect(await save({ phone: '020 7946 0958', sendOptIn: true })).toMatchObject({ optInSent: true })
    expect(receiver.mails.map(({ to }) => to)).toEqual([[email]])
  })

  test('a person with a consent gets no second mail', async () => {
    await stack.makeContact(shopId, { email, marketingConsentAt: '2026-01-02T03:04:05.000Z' })
    expect(await save({ email, sendOptIn: true })).toMatchObject({
      optInSent: false,
      marketingConsentAt: '2026-01-02T03:04:05.000Z',
    })
    expect(receiver.mails).toEqual([])
  })

  test('a mail server that refuses: 200, false, the contact is saved, and no address is in the log', async () => {
    trouble.refuseRecipient = { code: 550, words: `no mailbox for ${email}` }
    try {
      expect(await save({ email, tags: ['vip'], sendOptIn: true })).toMatchObject({ optInSent: false, tags: ['vip'] })
    } finally {
      delete trouble.refuseRecipient
    }
    expect(stack.logged()).toContain('"because":"mail"')
    expect(stack.logged()).not.toContain('@example.com')
    expect(stack.logged()).not.toContain('/opt-in/')
  })
})

describe.each(forms)('sendOptIn with a mail server in trouble, %s', (form) => {
  const within = async (stack: Stack, key: string, email: string) => {
    const began = performance.now()
    const { status, body } = await stack.post('/api/v1/contacts', { key, json: { email, sendOptIn: true } })
    const { optInSent } = (body as { data: Saved }).data
    return { status, optInSent, ms: performance.now() - began }
  }

  test('down: 200 and false at once; when it is back the next call sends', async () => {
    // Below the ports that a system gives out by itself, so that nobody else listens there meanwhile.
    const port = 20_000 + randomInt(10_000)
    const stack = await openStack({ form, env: { SMTP_URL: `smtp://127.0.0.1:${port}` } })
    const { secret: key } = await stack.makeKey((await stack.makeShop()).id, 'write')
    let back: MailReceiver | null = null
    try {
      const answer = await within(stack, key, 'ada@example.com')
      expect(answer).toEqual({ status: 200, optInSent: false, ms: expect.any(Number) })
      expect(answer.ms).toBeLessThan(limits.mailMs)
      back = await openMailReceiver({ port })
      expect(await within(stack, key, 'ada@example.com')).toMatchObject({ status: 200, optInSent: true })
      expect(back.mails.map(({ to }) => to)).toEqual([['ada@example.com']])
    } finally {
      await stack.stop() // First, since it keeps a connection to the mail server for the next mail.
      await back?.close()
    }
  })

  test('silent: 200 and false within the time of a call; then its breaker answers at once', async () => {
    const silent = await openSilentServer()
    const stack = await openStack({ form, env: { SMTP_URL: silent.smtpUrl } })
    const { secret: key } = await stack.makeKey((await stack.makeShop()).id, 'write')
    try {
      const calls = Array.from({ length: 5 }, (_nothing, index) => within(stack, key, `person${index}@example.com`))
      // A call that takes longer than its time is answered 500.
      for (const answer of await Promise.all(calls)) expect(answer).toMatchObject({ status: 200, optInSent: false })
      const answer = await within(stack, key, 'late@example.com')
      expect(answer).toMatchObject({ status: 200, optInSent: false })
      expect(answer.ms).toBeLessThan(limits.mailMs)
      const { body } = await stack.get('/api/v1/contacts', { key })
      expect((body as { data: unknown[] }).data).toHaveLength(6)
    } finally {
      await stack.stop()
      await silent.close()
    }
  })

  test('without one the mail is a file in the data folder', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'storefront-mail-'))
    const stack = await openStack({ form, env: { DATA_DIR: dataDir } })
    const { secret: key } = await stack.makeKey((await stack.makeShop()).id, 'write')
    try {
      expect(await within(stack, key, 'ada@example.com')).toMatchObject({ status: 200, optInSent: true })
      const [name = '', ...others] = await readdir(join(dataDir, 'mail'))
      expect([others, name.endsWith('.eml')]).toEqual([[], true])
      const raw = await readFile(join(dataDir, 'mail', name), 'utf8')
      expect(linkIn({ from: '', to: [], raw })).toContain(`http://127.0.0.1:${stack.ports[0]}/opt-in/`)
    } finally {
      await stack.stop()
      await rm(dataDir, { recursive: true })
    }
  })
})
