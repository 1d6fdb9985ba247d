// Proves that owners are told that webhooks fail: each stage once, with what it must name. states-and-events.md 5.2.
import type { ActionHandlers } from '#runtime/service'
import { afterEach, describe, expect, test } from '@jest/globals'
import { until } from '#testing/event-schema'
import { type MailReceiver, openMailReceiver } from '#testing/mail-receiver'
import { openReceiver, type Receiver } from '#testing/receiver'
import { type MadeEndpoint, openStage, type Stage } from '#testing/webhooks-service'
import type { Pace } from '../delivery/delivery-config.ts'
import { noticeLetter } from './mail.ts'

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

type Play = { stage: Stage; receiver: Receiver; mails: MailReceiver; asked: () => number }

async function open(pace: Partial<Pace>, ownerEmail: string | null = 'owner@example.com'): Promise<Play> {
  const mails = await openMailReceiver()
  const receiver = await openReceiver()
  receiver.answer(() => ({ status: 500, body: 'words of a stranger' }))
  let asked = 0
  const shops: ActionHandlers = {
    'shops.get': async ({ params: { shop } }) => {
      asked += 1
      return Buffer.from(JSON.stringify({ data: { id: shop, name: 'Acme\r\nSubject: x', ownerEmail } }))
    },
  }
  const stage = await openStage({ pace: { pollMs: 10, guardVolume: 1_000, ...pace } }, shops, {
    SMTP_URL: mails.smtpUrl,
  })
  closing.push(
    () => mails.close(),
    () => receiver.close(),
    () => stage.close(),
  )
  return { stage, receiver, mails, asked: () => asked }
}

const subjects = (mails: MailReceiver) => mails.mails.map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim())
const unsent = async (stage: Stage) => (await stage.db.rows('select from notices where sent_at is null')).length

describe('the owner', () => {
  test('is told of the first delivery that was given up, and of later ones in one mail a day', async () => {
    const { stage, receiver, mails } = await open({ waitsS: [0.01], digestS: 6 })
    await stage.endpoint({ url: receiver.url })
    await Promise.all([1, 2, 3, 4].map(() => stage.happen(1)))
    await until(async () => mails.mails.length === 1 && (await unsent(stage)) === 0)
    const first = performance.now()
    const failed = () => stage.db.rows("select from deliveries where state = 'failed'")
    await until(async () => (await failed()).length === 4)
    await Promise.all([1, 2, 3].map(() => stage.happen(1)))
    await until(async () => (await failed()).length === 7)
    expect(await unsent(stage)).toBe(1)
    await until(() => mails.mails.length === 2)
    expect(performance.now() - first).toBeGreaterThan(4_000)
    await until(async () => (await unsent(stage)) === 0)
    expect(subjects(mails)).toEqual(Array(2).fill(`Webhook deliveries were given up: 127.0.0.1:${receiver.port}`))
    const { raw = '', to } = mails.mails[0] ?? {}
    expect(to).toEqual(['owner@example.com'])
    expect(raw).toContain(`Receiver: 127.0.0.1:${receiver.port}`)
    expect(raw).toContain('Last error: 500')
    expect(raw).toMatch(/First failure: \d{4}-\d{2}-\d{2}T/)
    expect(raw).toMatch(/Waiting to be sent: \d/)
    expect(raw).not.toContain('words of a stranger')
    expect(raw.split(/\r?\n\r?\n/)[0]).not.toContain('Subject: x')
  })

  test('is told after a day, after three, and when it is turned off: once each, in a new failure again', async () => {
    const { stage, receiver, mails } = await open({
      waitsS: [0.02],
      noticeAfterS: { first: 0.4, second: 1.2 },
      disableAfterS: 2,
      disableAfter: 12,
      digestS: 3_600,
    })
    const { id } = await stage.endpoint({ url: receiver.url })
    const flow = setInterval(() => void stage.happen(1), 50)
    closing.push(async () => clearInterval(flow))
    await until(async () => !((await stage.call('endpoints.get', { id })) as MadeEndpoint).enabled)
    clearInterval(flow)
    await until(() => mails.mails.length >= 4)
    const host = `127.0.0.1:${receiver.port}`
    const once = [
      'A webhook receiver was turned off',
      'Webhook deliveries were given up',
      'Webhooks have failed for a day',
      'Webhooks have failed for three days',
    ]
    expect(subjects(mails).toSorted()).toEqual(once.map((words) => `${words}: ${host}`))
    await stage.call('endpoints.change', { id, change: { enabled: true } })
    await until(
      () => subjects(mails).filter((words) => words?.startsWith('Webhooks have failed for a day')).length === 2,
    )
  })

  test('is told of a 410 at once', async () => {
    const { stage, receiver, mails } = await open({})
    receiver.answer(() => ({ status: 410 }))
    await stage.endpoint({ url: receiver.url })
    await stage.happen(2)
    await until(() => mails.mails.length === 1)
    expect(subjects(mails)).toEqual([`A webhook receiver was turned off: 127.0.0.1:${receiver.port}`])
    expect(mails.mails[0]?.raw).toContain('answered 410')
  })

  test('without an address gets no mail, and is asked for once', async () => {
    const { stage, receiver, mails, asked } = await open({ waitsS: [0.01], digestS: 3_600 }, null)
    await stage.endpoint({ url: receiver.url })
    await stage.happen(1)
    await until(async () => (await stage.db.rows('select from notices where sent_at is not null')).length === 1)
    expect(mails.mails).toEqual([])
    expect(asked()).toBe(1)
  })
})

test('every stage names host, first failure, last error and the number waiting, in text and page', () => {
  for (const stage of ['given_up', 'failing_first', 'failing_second', 'disabled'] as const) {
    const letter = noticeLetter({
      ...{ to: 'o@example.com', shopName: 'A <b>', stage, disabledReason: 'failing', host: 'hooks.example.com' },
      ...{
        firstFailure: new Date('2026-08-12T10:00:00Z'),
        lastError: 'timeout',
        waiting: 17,
        publicUrl: 'https://shop.example.com',
      },
    })
    for (const text of [letter.text, letter.html]) {
      for (const fact of ['hooks.example.com', '2026-08-12T10:00:00.000Z', 'timeout', '17'])
        expect(text).toContain(fact)
    }
    expect(letter.html).toContain('A &lt;b&gt;')
  }
})
