// The double opt-in on a real database and a real mail receiver: limits, links, consent, suppression.
// docs/spec/double-opt-in.md
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { type Mail, openMail } from '#mail/mail'
import { emailKey } from '#person/person'
import { databaseDuringTests } from '#testing/during-tests'
import { type MailReceiver, openMailReceiver } from '#testing/servers/mail-receiver'
import { newContact } from '../save/change.ts'
import { insertContact } from '../save/queries.ts'
import { contacts } from '../service.ts'
import { type Client, confirmOptIn, findOptIn, findSender, suppress } from './links.ts'
import { digestToken, oldestKept } from './opt-in.ts'
import { deleteOldRequests } from './queries.ts'
import { type OptInOrder, sendOptIn } from './send.ts'

const start = new Date('2026-08-12T12:00:00.000Z')
const after = (minutes: number) => new Date(start.getTime() + minutes * 60_000)
const day = 24 * 60
const client: Client = { address: '203.0.113.7', agent: 'Firefox' }
const bloom = { shopName: 'Bloom' }
const open = { state: 'open', ...bloom }
const unknown = Buffer.alloc(32, 7)

const db = databaseDuringTests(contacts.storage)
let receiver: MailReceiver
let mail: Mail

beforeEach(async () => {
  receiver = await openMailReceiver()
  mail = mailTo(receiver)
})
afterEach(async () => {
  await mail.close()
  await receiver.close()
})

function mailTo({ smtpUrl }: MailReceiver, timeoutMs?: number): Mail {
  return openMail({ smtpUrl, mailDir: '/nowhere', from: 'no-reply@shop.example.com', timeoutMs })
}

function newMailbox(): string {
  return `ada-${randomUUID()}@example.com`
}

async function makeContact(shopId: string, email: string | null): Promise<string> {
  const fields = { email, email_key: email && emailKey(email), phone: null, name: 'Ada', tags: [], columns: {} }
  const row = newContact(randomUUID(), shopId, { ...fields, created_at: start }, 'api', start)
  await insertContact(db, shopId, row)
  return row.id
}

function orderFor(shopId: string, contactId: string, now = start): OptInOrder {
  return { shopId, contactId, shopName: 'Bloom', source: 'api', publicUrl: 'https://shop.example.com', now }
}

const send = (shopId: string, contactId: string, now = start) => sendOptIn(db, mail, orderFor(shopId, contactId, now))

/** The digest of the token in the last mail of a server. */
function digestIn(server: MailReceiver): Buffer {
  const raw = server.mails.at(-1)?.raw ?? ''
  const token = /^List-Unsubscribe: <https:\/\/shop\.example\.com\/opt-in\/([\w-]{43})\/not-me>\r$/m.exec(raw)?.[1]
  const digest = digestToken(token ?? '')
  if (digest === null) throw new Error('The last mail holds no link.')
  return digest
}

/** A contact who got a mail. */
async function mailedContact(now = start) {
  const [shopId, email] = [randomUUID(), newMailbox()]
  const contactId = await makeContact(shopId, email)
  expect(await send(shopId, contactId, now)).toEqual({ sent: true })
  return { shopId, contactId, email, digest: digestIn(receiver) }
}

async function readContact(contactId: string) {
  const [row] = await db.rows<{ marketing_consent_at: Date | null; updated_at: Date; document: string }>(
    'select marketing_consent_at, updated_at, document from contacts where id = $1',
    [contactId],
  )
  if (row === undefined) throw new Error('The contact was deleted.')
  return { ...row, document: JSON.parse(row.document) as Record<string, unknown> }
}
const consentOf = async (contactId: string) => (await readContact(contactId)).marketing_consent_at
const requestsOf = (contactId: string) =>
  db.rows<Record<string, unknown>>('select * from opt_in_requests where contact_id = $1', [contactId])
const recordsOf = (contactId: string) =>
  db.rows<Record<string, unknown>>(
    'select shop_id, kind, email, at, address, agent, text_version, source from consents where contact_id = $1 order by at',
    [contactId],
  )

describe('a request', () => {
  test('sends one mail to the address as it was written, and stores no token', async () => {
    const shopId = randomUUID()
    const contactId = await makeContact(shopId, 'Ada.Writes+Tag@example.com')
    expect(await send(shopId, contactId)).toEqual({ sent: true })
    expect(receiver.mails.map(({ to }) => to)).toEqual([['Ada.Writes+Tag@example.com']])
    const [row] = await requestsOf(contactId)
    expect(row).toMatchObject({
      shop_id: shopId,
      mailbox: 'ada.writes@example.com',
      email: 'Ada.Writes+Tag@example.com',
      shop_name: 'Bloom',
      source: 'api',
      created_at: start,
      expires_at: after(3 * day),
      sent_at: start,
      confirmed_at: null,
      voided_at: null,
    })
    expect(row?.token_digest).toEqual(digestIn(receiver))
  })

  test('sends nothing to a contact of another shop', async () => {
    const outcome = await send(randomUUID(), await makeContact(randomUUID(), newMailbox()))
    expect(outcome).toEqual({ sent: false, because: 'no_address' })
    expect(receiver.mails).toEqual([])
  })

  test('sends one mail in ten minutes and three in a day to one mailbox of a shop', async () => {
    const { shopId, contactId } = await mailedContact()
    const sent = []
    for (const minutes of [9.99, 10, 20, 30, day - 0.01, day]) {
      sent.push((await send(shopId, contactId, after(minutes))).sent)
    }
    expect(sent).toEqual([false, true, true, false, false, true])
  })

  test('made fifty times at once for one person sends one mail', async () => {
    const shopId = randomUUID()
    const contactId = await makeContact(shopId, newMailbox())
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => send(shopId, contactId)))
    expect(outcomes.filter(({ sent }) => sent)).toHaveLength(1)
    expect(receiver.mails).toHaveLength(1)
  })

  test('made by fifty shops at once for one mailbox sends ten mails', async () => {
    const email = newMailbox()
    const shops = Array.from({ length: 50 }, () => randomUUID())
    const ids = await Promise.all(shops.map((shopId) => makeContact(shopId, email)))
    const outcomes = await Promise.all(shops.map((shopId, index) => send(shopId, ids[index] ?? '')))
    expect(outcomes.filter(({ sent }) => sent)).toHaveLength(10)
    expect(outcomes.filter((outcome) => !outcome.sent && outcome.because === 'limit')).toHaveLength(40)
    expect(receiver.mails).toHaveLength(10)
  })

  test('is one of exactly 500 mails of a shop in an hour, however many come at once', async () => {
    const shopId = randomUUID()
    const contactId = await makeContact(shopId, newMailbox())
    await db.rows(
      `insert into opt_in_requests (id, shop_id, contact_id, mailbox, email, shop_name, source, token_digest, created_at, expires_at)
       select gen_random_uuid(), $1::uuid, $2, 'someone-' || n, 'x', 'x', 'api', sha256(($1::text || n)::bytea), $3, $3 from generate_series(1, 495) as n`,
      [shopId, contactId, start],
    )
    const others = await Promise.all(Array.from({ length: 20 }, () => makeContact(shopId, newMailbox())))
    const outcomes = await Promise.all(others.map((other) => send(shopId, other)))
    expect(outcomes.filter(({ sent }) => sent)).toHaveLength(5)
    expect((await send(shopId, contactId, after(60))).sent).toBe(true)
  })
})

describe('a mail that was not taken', () => {
  let server: MailReceiver
  let failing: Mail
  afterEach(async () => {
    await failing.close()
    await server.close()
  })

  async function sendBy(options: Parameters<typeof openMailReceiver>[0], timeoutMs?: number) {
    server = await openMailReceiver(options)
    failing = mailTo(server, timeoutMs)
    const shopId = randomUUID()
    const contactId = await makeContact(shopId, newMailbox())
    return { shopId, contactId, outcome: () => sendOptIn(db, failing, orderFor(shopId, contactId)) }
  }

  test('by a server that rejected it counts, and its link is void', async () => {
    const { shopId, contactId, outcome } = await sendBy({ refuseRecipient: { code: 550, words: 'no' } })
    expect(await outcome()).toEqual({ sent: false, because: 'mail', mail: { refused: 'rejected' } })
    expect(await requestsOf(contactId)).toMatchObject([{ voided_at: start }])
    expect(await send(shopId, contactId, after(5))).toEqual({ sent: false, because: 'limit' })
  })

  test('in time, as far as is known, counts, and its link works', async () => {
    const { contactId, outcome } = await sendBy({ beforeAnswer: () => new Promise(() => undefined) }, 3_000)
    expect(await outcome()).toEqual({ sent: false, because: 'mail', mail: { refused: 'unknown' } })
    expect(await requestsOf(contactId)).toHaveLength(1)
    expect(await confirmOptIn(db, digestIn(server), client, after(1))).toEqual(bloom)
  })

  test('leaves the link that the person already has valid', async () => {
    const { shopId, contactId, digest } = await mailedContact()
    await sendBy({ refuseMessage: { code: 554, words: 'no' } })
    expect((await sendOptIn(db, failing, orderFor(shopId, contactId, after(10)))).sent).toBe(false)
    expect(await findOptIn(db, digest, after(11))).toEqual(open)
  })
})

describe('the link', () => {
  test('when confirmed by twenty at once writes one consent', async () => {
    const { contactId, digest } = await mailedContact()
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirmOptIn(db, digest, client, after(5))))
    expect(answers).toEqual(Array.from({ length: 20 }, () => bloom))
    expect(await recordsOf(contactId)).toHaveLength(1)
  })

  test('is valid for 72 hours; unknown, expired and superseded ones are answered alike', async () => {
    const { shopId, contactId, digest } = await mailedContact()
    expect(await findOptIn(db, digest, after(3 * day - 1))).toEqual(open)
    expect(await findOptIn(db, digest, after(3 * day))).toBeNull()
    expect(await confirmOptIn(db, digest, client, after(3 * day))).toBeNull()

    expect((await send(shopId, contactId, after(10))).sent).toBe(true)
    expect(await findOptIn(db, digest, after(11))).toBeNull()
    expect(await confirmOptIn(db, digest, client, after(11))).toBeNull()

    expect(await findOptIn(db, unknown, start)).toBeNull()
    expect(await confirmOptIn(db, unknown, client, start)).toBeNull()
    expect(await consentOf(contactId)).toBeNull()
    expect(await confirmOptIn(db, digestIn(receiver), client, after(12))).toEqual(bloom)
  })

  test('confirms nothing when the contact has another address by then', async () => {
    const { contactId, digest } = await mailedContact()
    await db.rows('update contacts set email = $2, email_key = $2 where id = $1', [contactId, newMailbox()])
    expect(await confirmOptIn(db, digest, client, after(1))).toBeNull()
    expect(await consentOf(contactId)).toBeNull()
  })

  test('keeps an earlier consent', async () => {
    const { contactId, digest } = await mailedContact()
    await db.rows('update contacts set marketing_consent_at = $2 where id = $1', [contactId, after(1)])
    expect(await confirmOptIn(db, digest, client, after(5))).toEqual(bloom)
    expect(await consentOf(contactId)).toEqual(after(1))
  })

  test('is deleted after 90 days', async () => {
    const { contactId, digest } = await mailedContact(new Date('2020-01-01T00:00:00.000Z'))
    expect(await deleteOldRequests(db, oldestKept(new Date('2020-03-31T00:00:00.000Z')))).toBe(0)
    expect(await deleteOldRequests(db, oldestKept(new Date('2020-03-31T00:00:00.001Z')))).toBe(1)
    expect(await findSender(db, digest)).toBeNull()
    expect(await requestsOf(contactId)).toEqual([])
  })

  test('is deleted with its contact, and so are the consent records', async () => {
    const { contactId, digest } = await mailedContact()
    await confirmOptIn(db, digest, client, after(1))
    await db.rows('delete from contacts where id = $1', [contactId])
    expect(await findSender(db, digest)).toBeNull()
    expect(await recordsOf(contactId)).toEqual([])
  })
})

describe('"this was not me"', () => {
  test('ends the link and all later mails of that shop, of no other', async () => {
    const { shopId, contactId, email, digest } = await mailedContact()
    expect(await findSender(db, digest)).toEqual(bloom)
    expect(await suppress(db, digest, client, after(1))).toEqual(bloom)
    expect(await suppress(db, digest, client, after(2))).toEqual(bloom)
    expect(await findOptIn(db, digest, after(3))).toBeNull()
    expect(await confirmOptIn(db, digest, client, after(3))).toBeNull()
    const suppressed = { sent: false, because: 'suppressed' }
    expect(await send(shopId, contactId, after(day))).toEqual(suppressed)
    const tagged = await makeContact(shopId, email.replace('@', '+other@'))
    expect(await send(shopId, tagged, after(day))).toEqual(suppressed)
    const other = randomUUID()
    expect((await send(other, await makeContact(other, email), after(day))).sent).toBe(true)
    expect(await recordsOf(contactId)).toEqual([])
  })

  test('works with an expired link, and not with an unknown one', async () => {
    const { digest } = await mailedContact()
    expect(await suppress(db, digest, client, after(80 * day))).toEqual(bloom)
    expect(await suppress(db, unknown, client, start)).toBeNull()
    expect(await findSender(db, unknown)).toBeNull()
  })

  test('at the same time as a confirmation leaves the mailbox suppressed and no consent', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { contactId, digest } = await mailedContact()
      await Promise.all([confirmOptIn(db, digest, client, after(1)), suppress(db, digest, client, after(1))])
      expect(await consentOf(contactId)).toBeNull()
      expect(await findOptIn(db, digest, after(2))).toBeNull()
    }
  })
})
