// Tests the mails to owners: each stage once, with the required facts. docs/spec/webhooks.md#notices
import { describe, expect, test } from '@jest/globals'
import type { ActionHandlers } from '#runtime/service'
import { until } from '#testing/until'
import { type MailReceiver, openMailReceiver } from '#testing/servers/mail-receiver'
import { type OpenOptions, type WebhooksFixture, webhooksPerTest } from '#testing/product/webhooks-service'
import { noticeLetter } from './mail.ts'

const perTest = webhooksPerTest()

/** A service whose receiver fails, and a mail server. */
async function open(config: OpenOptions['config'] = {}, ownerEmail: string | null = 'owner@example.com') {
  const mails = await openMailReceiver()
  perTest.closeAfterTest(() => mails.close())
  const receiver = await perTest.receive()
  receiver.answer(() => ({ status: 500, body: 'text of the receiver' }))
  let calls = 0
  const others: ActionHandlers = {
    'shops.get': async ({ params: { shop } }) => {
      calls += 1
      return Buffer.from(JSON.stringify({ data: { id: shop, name: 'Acme\r\nSubject: x', ownerEmail } }))
    },
  }
  const webhooks = await perTest.open({
    config: { pollMs: 10, ...config },
    others,
    env: { SMTP_URL: mails.smtpUrl },
  })
  const { id } = await webhooks.createEndpoint({ url: receiver.url })
  return { webhooks, receiver, mails, id, host: `127.0.0.1:${receiver.port}`, calls: () => calls }
}

const subjectsOf = (mails: MailReceiver) =>
  mails.mails.map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim() ?? '')
const countNotices = async ({ db }: WebhooksFixture, state: 'null' | 'not null') =>
  (await db.rows(`select from notices where sent_at is ${state}`)).length
const countFailed = async ({ db }: WebhooksFixture) =>
  (await db.rows("select from deliveries where state = 'failed'")).length

describe('the owner', () => {
  test('gets a mail about the first failed delivery, and one mail about all that fail within the digest time', async () => {
    const { webhooks, mails, host } = await open({ waitsS: [0.01] })
    await webhooks.emit(1)
    await until(async () => (await countNotices(webhooks, 'not null')) === 1)
    await webhooks.emitObjects(6)
    await until(async () => (await countFailed(webhooks)) === 7)
    const waits = `select round(extract(epoch from due_at - (select max(sent_at) from notices)))::integer as wait_s
      from notices where sent_at is null`
    expect(await webhooks.db.rows(waits)).toEqual([{ wait_s: 86_400 }])
    expect(mails.mails).toHaveLength(1)
    await webhooks.db.rows('update notices set due_at = now() where sent_at is null')
    await until(async () => (await countNotices(webhooks, 'null')) === 0)
    expect(subjectsOf(mails)).toEqual(Array(2).fill(`Webhook deliveries were given up: ${host}`))
    const { raw = '', to } = mails.mails[0] ?? {}
    expect(to).toEqual(['owner@example.com'])
    expect(raw).toContain(`Receiver: ${host}`)
    expect(raw).toContain('Last error: 500')
    expect(raw).toMatch(/First failure: \d{4}-\d{2}-\d{2}T/)
    expect(raw).toMatch(/Waiting to be sent: \d/)
    expect(raw).not.toContain('text of the receiver')
    expect(raw.split(/\r?\n\r?\n/)[0]).not.toContain('Subject: x')
  })

  test('gets one mail after a day, after three days, and at disabling; again when the endpoint fails again', async () => {
    const { webhooks, mails, id, host } = await open({ waitsS: [0.02] })
    const failures = (count: number) => `select from endpoints where failures >= ${count}`
    const fail = async (objects: number, count: number) => {
      await webhooks.emitObjects(objects)
      await until(async () => (await webhooks.db.rows(failures(count))).length === 1)
    }
    const failFor = (days: number) =>
      webhooks.db.rows("update endpoints set failing_since = now() - $1 * interval '1 day'", [days])
    const countOf = (start: string) => subjectsOf(mails).filter((subject) => subject.startsWith(start)).length
    await fail(6, 12)
    await failFor(1)
    await until(() => countOf('Webhooks have failed for a day') === 1)
    await failFor(3)
    await until(() => countOf('Webhooks have failed for three days') === 1)
    await failFor(5)
    await until(async () => !(await webhooks.getEndpoint(id)).enabled)
    await until(() => mails.mails.length >= 4)
    expect(subjectsOf(mails).toSorted()).toEqual([
      `A webhook receiver was turned off: ${host}`,
      `Webhook deliveries were given up: ${host}`,
      `Webhooks have failed for a day: ${host}`,
      `Webhooks have failed for three days: ${host}`,
    ])
    await webhooks.call('endpoints.change', { id, change: { enabled: true } })
    await fail(1, 1)
    await failFor(1)
    await until(() => countOf('Webhooks have failed for a day') === 2)
  })

  test('gets a mail about a 410 at once', async () => {
    const { webhooks, receiver, mails, host } = await open()
    receiver.answer(() => ({ status: 410 }))
    await webhooks.emit(2)
    await until(() => mails.mails.length === 1)
    expect(subjectsOf(mails)).toEqual([`A webhook receiver was turned off: ${host}`])
    expect(mails.mails[0]?.raw).toContain('answered 410')
  })

  test('without an address gets no mail, and the address is read once per notice', async () => {
    const { webhooks, mails, calls } = await open({ waitsS: [0.01], digestS: 3_600 }, null)
    await webhooks.emit(1)
    await until(async () => (await countNotices(webhooks, 'not null')) === 1)
    expect(mails.mails).toEqual([])
    expect(calls()).toBe(1)
  })
})

test('every stage names host, first failure, last error and the number waiting, in text and HTML', () => {
  for (const stage of ['given_up', 'failing_first', 'failing_second', 'disabled'] as const) {
    const letter = noticeLetter({
      to: 'o@example.com',
      shopName: 'A <b>',
      stage,
      disabledReason: 'failing',
      host: 'hooks.example.com',
      firstFailure: new Date('2026-08-12T10:00:00Z'),
      lastError: 'timeout',
      waiting: 17,
      publicUrl: 'https://shop.example.com',
    })
    for (const text of [letter.text, letter.html])
      for (const fact of ['hooks.example.com', '2026-08-12T10:00:00.000Z', 'timeout', '17'])
        expect(text).toContain(fact)
    expect(letter.html).toContain('A &lt;b&gt;')
  }
})
