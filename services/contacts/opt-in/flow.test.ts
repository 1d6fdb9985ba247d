// Proves the double opt-in on a real database and a real mail receiver: limits, links, consent, suppression.
// Contract: states-and-events.md 11.
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type Mail, openMail } from '#mail/mail'
import type { Database } from '#postgres/connect'
import { openStorage } from '#testing/database'
import { type MailReceiver, openMailReceiver } from '#testing/mail-receiver'
import { CreateContacts1763600000001 } from '../migrations/0001-create-contacts.ts'
import { CreateOptIns1763600000002 } from '../migrations/0002-create-opt-ins.ts'
import { digestToken, forgottenBefore } from './opt-in.ts'
import { type Answerer, confirmOptIn, findOptIn, findSender, suppress } from './answer.ts'
import { forgetRequests } from './queries.ts'
import { type OptInAsk, requestOptIn } from './request.ts'
import { ConsentTable, OptInRequestTable, SuppressedMailboxTable } from './tables.ts'
import { emailKey } from '#person/person'
import { contactDocument } from '../shape.ts'
import { ContactTable, ContactTagTable } from '../tables.ts'

const storage = {
  schema: 'contacts',
  entities: [ContactTable, ContactTagTable, OptInRequestTable, ConsentTable, SuppressedMailboxTable],
  migrations: [CreateContacts1763600000001, CreateOptIns1763600000002],
}
const start = new Date('2026-08-12T12:00:00.000Z')
const later = (minutes: number) => new Date(start.getTime() + minutes * 60_000)
const person: Answerer = { address: '203.0.113.7', agent: 'Firefox' }

let db: Database
let closeStorage: () => Promise<void>
let receiver: MailReceiver
let mail: Mail

beforeAll(async () => {
  const opened = await openStorage(storage)
  db = opened.db
  closeStorage = opened.close
})
afterAll(() => closeStorage())
beforeEach(async () => {
  receiver = await openMailReceiver()
  mail = openMail({ smtpUrl: receiver.smtpUrl, mailDir: '/nowhere', from: 'no-reply@shop.example.com' })
})
afterEach(async () => {
  await mail.close()
  await receiver.close()
})

async function makeContact(shopId: string, email: string | null): Promise<string> {
  const row = {
    id: randomUUID(),
    shop_id: shopId,
    name: 'Ada',
    email,
    email_key: email && emailKey(email),
    phone: null,
    tags: [],
    source: 'api',
    marketing_consent_at: null,
    line1: null,
    line2: null,
    city: null,
    region: null,
    postal_code: null,
    country: null,
    private_note: null,
    created_at: start,
    updated_at: start,
  }
  await db.rows(
    `insert into contacts (id, shop_id, name, email, email_key, tags, source, document, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [row.id, shopId, row.name, email, row.email_key, [], row.source, contactDocument(row), start, start],
  )
  return row.id
}

function ask(shopId: string, contactId: string, now = start): OptInAsk {
  return { shopId, contactId, shopName: 'Bloom', source: 'api', publicUrl: 'https://shop.example.com', now }
}

function mailbox(): string {
  return `ada-${randomUUID()}@example.com`
}

/** The digest of the token in the last mail of a server. */
function digestIn(server: MailReceiver): Buffer {
  const raw = server.mails.at(-1)?.raw ?? ''
  const token = /^List-Unsubscribe: <https:\/\/shop\.example\.com\/opt-in\/([\w-]{43})\/not-me>\r$/m.exec(raw)?.[1]
  const digest = digestToken(token ?? '')
  if (digest === null) throw new Error('The last mail holds no link.')
  return digest
}

async function linkedContact(now = start) {
  const shopId = randomUUID()
  const email = mailbox()
  const contactId = await makeContact(shopId, email)
  expect(await requestOptIn(db, mail, ask(shopId, contactId, now))).toEqual({ sent: true })
  return { shopId, contactId, email, digest: digestIn(receiver) }
}

async function contactOf(shopId: string, contactId: string) {
  const [row] = await db.rows<{ marketing_consent_at: Date | null; updated_at: Date; document: string }>(
    'select marketing_consent_at, updated_at, document from contacts where shop_id = $1 and id = $2',
    [shopId, contactId],
  )
  if (row === undefined) throw new Error('The contact is gone.')
  return { ...row, document: JSON.parse(row.document) as { marketingConsentAt: string | null; updatedAt: string } }
}

function consentsOf(contactId: string) {
  return db.rows<Record<string, unknown>>(
    'select shop_id, kind, email, at, address, agent, text_version, source from consents where contact_id = $1 order by at',
    [contactId],
  )
}

async function countRequestsOf(contactId: string): Promise<number> {
  const [row] = await db.rows<{ count: number }>('select count(*) from opt_in_requests where contact_id = $1', [
    contactId,
  ])
  return row?.count ?? 0
}

describe('asking', () => {
  test('sends one mail to the address as it was written, and stores no token', async () => {
    const shopId = randomUUID()
    const contactId = await makeContact(shopId, 'Ada.Writes+Tag@example.com')
    expect(await requestOptIn(db, mail, ask(shopId, contactId))).toEqual({ sent: true })
    expect(receiver.mails.map(({ to }) => to)).toEqual([['Ada.Writes+Tag@example.com']])
    const [row] = await db.rows<Record<string, unknown>>('select * from opt_in_requests where contact_id = $1', [
      contactId,
    ])
    expect(row).toMatchObject({
      shop_id: shopId,
      mailbox: 'ada.writes@example.com',
      email: 'Ada.Writes+Tag@example.com',
      shop_name: 'Bloom',
      source: 'api',
      created_at: start,
      expires_at: new Date('2026-08-15T12:00:00.000Z'),
      sent_at: start,
      confirmed_at: null,
      voided_at: null,
    })
    expect(row?.token_digest).toEqual(digestIn(receiver))
  })

  test('sends nothing without an address, to another shop, or after the yes', async () => {
    const shopId = randomUUID()
    const noEmail = await makeContact(shopId, null)
    expect(await requestOptIn(db, mail, ask(shopId, noEmail))).toEqual({ sent: false, because: 'no_address' })
    const foreign = await makeContact(randomUUID(), mailbox())
    expect(await requestOptIn(db, mail, ask(shopId, foreign))).toEqual({ sent: false, because: 'no_address' })
    expect(receiver.mails).toEqual([])

    const confirmed = await linkedContact()
    await confirmOptIn(db, confirmed.digest, person, later(1))
    expect(await requestOptIn(db, mail, ask(confirmed.shopId, confirmed.contactId, later(60)))).toEqual({
      sent: false,
      because: 'confirmed',
    })
    expect(receiver.mails).toHaveLength(1)
  })

  test('one mail in ten minutes, three in a day, for one mailbox and shop', async () => {
    const { shopId, contactId } = await linkedContact()
    const at = async (minutes: number) => (await requestOptIn(db, mail, ask(shopId, contactId, later(minutes)))).sent
    expect(await at(9.99)).toBe(false)
    expect(await at(10)).toBe(true)
    expect(await at(20)).toBe(true)
    expect(await at(30)).toBe(false)
    expect(await at(24 * 60 - 0.01)).toBe(false)
    expect(await at(24 * 60)).toBe(true)
  })

  test('a tag behind the plus and another case are no other mailbox', async () => {
    const shopId = randomUUID()
    const name = `ada-${randomUUID()}`
    const first = await makeContact(shopId, `${name}@example.com`)
    const second = await makeContact(shopId, `${name.toUpperCase()}+again@example.com`)
    expect((await requestOptIn(db, mail, ask(shopId, first))).sent).toBe(true)
    expect(await requestOptIn(db, mail, ask(shopId, second))).toEqual({ sent: false, because: 'limit' })
  })

  test('fifty at once for one person are one mail', async () => {
    const shopId = randomUUID()
    const contactId = await makeContact(shopId, mailbox())
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => requestOptIn(db, mail, ask(shopId, contactId))))
    expect(outcomes.filter(({ sent }) => sent)).toHaveLength(1)
    expect(receiver.mails).toHaveLength(1)
  })

  test('fifty shops at once for one mailbox are ten mails', async () => {
    const email = mailbox()
    const asks = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const shopId = randomUUID()
        return ask(shopId, await makeContact(shopId, email))
      }),
    )
    const outcomes = await Promise.all(asks.map((one) => requestOptIn(db, mail, one)))
    expect(outcomes.filter(({ sent }) => sent)).toHaveLength(10)
    expect(receiver.mails).toHaveLength(10)
    expect(outcomes.filter((outcome) => !outcome.sent && outcome.because === 'limit')).toHaveLength(40)
  })

  test('a shop has 500 mails in an hour, exactly, however many ask at once', async () => {
    const shopId = randomUUID()
    const contactId = await makeContact(shopId, mailbox())
    await db.rows(
      `insert into opt_in_requests (id, shop_id, contact_id, mailbox, email, shop_name, source, token_digest, created_at, expires_at)
       select gen_random_uuid(), $1::uuid, $2, 'someone-' || n, 'x', 'x', 'api', sha256(($1::text || n)::bytea), $3, $3 from generate_series(1, 495) as n`,
      [shopId, contactId, start],
    )
    const others = await Promise.all(Array.from({ length: 20 }, () => makeContact(shopId, mailbox())))
    const outcomes = await Promise.all(others.map((other) => requestOptIn(db, mail, ask(shopId, other))))
    expect(outcomes.filter(({ sent }) => sent)).toHaveLength(5)
    expect((await requestOptIn(db, mail, ask(shopId, contactId, later(60)))).sent).toBe(true)
  })
})

describe('a mail that the server did not take', () => {
  async function askWith(other: Mail, now = start) {
    const shopId = randomUUID()
    const contactId = await makeContact(shopId, mailbox())
    const outcome = await requestOptIn(db, other, ask(shopId, contactId, now))
    await other.close()
    return { shopId, contactId, outcome }
  }

  test('because it is away leaves nothing: the next call may try at once', async () => {
    const gone = await openMailReceiver()
    await gone.close()
    const away = openMail({ smtpUrl: gone.smtpUrl, mailDir: '/nowhere', from: 'a@shop.example.com' })
    const { shopId, contactId, outcome } = await askWith(away)
    expect(outcome).toEqual({ sent: false, because: 'mail', mail: { refused: 'unreachable' } })
    expect(await countRequestsOf(contactId)).toBe(0)
    expect(await requestOptIn(db, mail, ask(shopId, contactId))).toEqual({ sent: true })
  })

  test('because it said no counts, and its link is void', async () => {
    const refusing = await openMailReceiver({ refuseRecipient: { code: 550, words: 'no' } })
    const refusingMail = openMail({ smtpUrl: refusing.smtpUrl, mailDir: '/nowhere', from: 'a@shop.example.com' })
    const { shopId, contactId, outcome } = await askWith(refusingMail)
    await refusing.close()
    expect(outcome).toEqual({ sent: false, because: 'mail', mail: { refused: 'rejected' } })
    const [row] = await db.rows<{ voided_at: Date | null }>(
      'select voided_at from opt_in_requests where contact_id = $1',
      [contactId],
    )
    expect(row?.voided_at).toEqual(start)
    expect(await requestOptIn(db, mail, ask(shopId, contactId, later(5)))).toEqual({ sent: false, because: 'limit' })
  })

  test('in time, as far as we know, counts, and its link works', async () => {
    const hanging = await openMailReceiver({ beforeAnswer: () => new Promise(() => undefined) })
    const hangingMail = openMail({
      smtpUrl: hanging.smtpUrl,
      mailDir: '/nowhere',
      from: 'a@shop.example.com',
      timeoutMs: 400,
    })
    const { contactId, outcome } = await askWith(hangingMail)
    expect(outcome).toEqual({ sent: false, because: 'mail', mail: { refused: 'unknown' } })
    expect(await countRequestsOf(contactId)).toBe(1)
    expect(await confirmOptIn(db, digestIn(hanging), person, later(1))).toEqual({ shopName: 'Bloom' })
    await hanging.close()
  })

  test('does not void the link that the person already has', async () => {
    const { shopId, contactId, digest } = await linkedContact()
    const refusing = await openMailReceiver({ refuseMessage: { code: 554, words: 'no' } })
    const refusingMail = openMail({ smtpUrl: refusing.smtpUrl, mailDir: '/nowhere', from: 'a@shop.example.com' })
    expect((await requestOptIn(db, refusingMail, ask(shopId, contactId, later(10)))).sent).toBe(false)
    await refusingMail.close()
    await refusing.close()
    expect(await findOptIn(db, digest, later(11))).toEqual({ state: 'open', shopName: 'Bloom' })
  })
})

describe('the link', () => {
  test('looked at changes nothing', async () => {
    const { shopId, contactId, digest } = await linkedContact()
    const before = await contactOf(shopId, contactId)
    expect(await findOptIn(db, digest, later(1))).toEqual({ state: 'open', shopName: 'Bloom' })
    expect(await findOptIn(db, digest, later(2))).toEqual({ state: 'open', shopName: 'Bloom' })
    expect(await contactOf(shopId, contactId)).toEqual(before)
    expect(await consentsOf(contactId)).toEqual([])
  })

  test('confirmed writes the consent into the row, the document and the evidence, once', async () => {
    const { shopId, contactId, email, digest } = await linkedContact()
    expect(await confirmOptIn(db, digest, person, later(5))).toEqual({ shopName: 'Bloom' })
    expect(await confirmOptIn(db, digest, { address: null, agent: null }, later(6))).toEqual({ shopName: 'Bloom' })
    expect(await findOptIn(db, digest, later(7))).toEqual({ state: 'confirmed', shopName: 'Bloom' })
    const contact = await contactOf(shopId, contactId)
    expect(contact.marketing_consent_at).toEqual(later(5))
    expect(contact.updated_at).toEqual(later(5))
    expect(contact.document).toMatchObject({
      id: contactId,
      email,
      marketingConsentAt: '2026-08-12T12:05:00.000Z',
      updatedAt: '2026-08-12T12:05:00.000Z',
    })
    expect(await consentsOf(contactId)).toEqual([
      {
        shop_id: shopId,
        kind: 'given',
        email,
        at: later(5),
        address: '203.0.113.7',
        agent: 'Firefox',
        text_version: 'en-1',
        source: 'api',
      },
    ])
  })

  test('confirmed by twenty at once writes one consent', async () => {
    const { contactId, digest } = await linkedContact()
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirmOptIn(db, digest, person, later(5))))
    expect(answers).toEqual(Array.from({ length: 20 }, () => ({ shopName: 'Bloom' })))
    expect(await consentsOf(contactId)).toHaveLength(1)
  })

  test('is valid for 72 hours; unknown, expired and superseded ones look alike', async () => {
    const { shopId, contactId, digest } = await linkedContact()
    expect(await findOptIn(db, digest, later(72 * 60 - 1))).toEqual({ state: 'open', shopName: 'Bloom' })
    expect(await findOptIn(db, digest, later(72 * 60))).toBeNull()
    expect(await confirmOptIn(db, digest, person, later(72 * 60))).toBeNull()

    expect((await requestOptIn(db, mail, ask(shopId, contactId, later(10)))).sent).toBe(true)
    expect(await findOptIn(db, digest, later(11))).toBeNull()
    expect(await confirmOptIn(db, digest, person, later(11))).toBeNull()

    const unknown = Buffer.alloc(32, 7)
    expect(await findOptIn(db, unknown, start)).toBeNull()
    expect(await confirmOptIn(db, unknown, person, start)).toBeNull()
    expect((await contactOf(shopId, contactId)).marketing_consent_at).toBeNull()

    expect(await confirmOptIn(db, digestIn(receiver), person, later(12))).toEqual({ shopName: 'Bloom' })
  })

  test('confirms nothing for an address that the contact got afterwards', async () => {
    const { shopId, contactId, digest } = await linkedContact()
    await db.rows('update contacts set email = $3, email_key = $3 where shop_id = $1 and id = $2', [
      shopId,
      contactId,
      mailbox(),
    ])
    expect(await confirmOptIn(db, digest, person, later(1))).toBeNull()
    expect((await contactOf(shopId, contactId)).marketing_consent_at).toBeNull()
  })

  test('keeps a consent that was there first', async () => {
    const { shopId, contactId, digest } = await linkedContact()
    await db.rows('update contacts set marketing_consent_at = $3 where shop_id = $1 and id = $2', [
      shopId,
      contactId,
      later(1),
    ])
    expect(await confirmOptIn(db, digest, person, later(5))).toEqual({ shopName: 'Bloom' })
    expect((await contactOf(shopId, contactId)).marketing_consent_at).toEqual(later(1))
  })

  test('is forgotten after 90 days, and the contact takes its links and evidence along', async () => {
    const { shopId, contactId, digest } = await linkedContact(new Date('2020-01-01T00:00:00.000Z'))
    expect(await forgetRequests(db, forgottenBefore(new Date('2020-03-31T00:00:00.000Z')))).toBe(0)
    expect(await forgetRequests(db, forgottenBefore(new Date('2020-03-31T00:00:00.001Z')))).toBe(1)
    expect(await findSender(db, digest)).toBeNull()

    const other = await linkedContact()
    await confirmOptIn(db, other.digest, person, later(1))
    await db.rows('delete from contacts where shop_id = $1 and id = $2', [other.shopId, other.contactId])
    expect(await findSender(db, other.digest)).toBeNull()
    expect(await consentsOf(other.contactId)).toEqual([])
    expect(shopId).not.toBe(other.shopId)
    expect(await countRequestsOf(contactId)).toBe(0)
  })
})

describe('this was not me', () => {
  test('ends the link and every later mail of that shop, of no other', async () => {
    const { shopId, contactId, email, digest } = await linkedContact()
    expect(await findSender(db, digest)).toEqual({ shopName: 'Bloom' })
    expect(await suppress(db, digest, person, later(1))).toEqual({ shopName: 'Bloom' })
    expect(await suppress(db, digest, person, later(2))).toEqual({ shopName: 'Bloom' })
    expect(await findOptIn(db, digest, later(3))).toBeNull()
    expect(await confirmOptIn(db, digest, person, later(3))).toBeNull()
    expect(await requestOptIn(db, mail, ask(shopId, contactId, later(24 * 60)))).toEqual({
      sent: false,
      because: 'suppressed',
    })
    const tagged = await makeContact(shopId, email.replace('@', '+other@'))
    expect(await requestOptIn(db, mail, ask(shopId, tagged, later(24 * 60)))).toEqual({
      sent: false,
      because: 'suppressed',
    })
    const elsewhere = randomUUID()
    const other = await makeContact(elsewhere, email)
    expect((await requestOptIn(db, mail, ask(elsewhere, other, later(24 * 60)))).sent).toBe(true)
    expect(await consentsOf(contactId)).toEqual([])
  })

  test('withdraws a consent that was given, with evidence', async () => {
    const { shopId, contactId, digest } = await linkedContact()
    await confirmOptIn(db, digest, person, later(1))
    expect(await suppress(db, digest, { address: null, agent: null }, later(100 * 60))).toEqual({ shopName: 'Bloom' })
    const contact = await contactOf(shopId, contactId)
    expect(contact.marketing_consent_at).toBeNull()
    expect(contact.updated_at).toEqual(later(100 * 60))
    expect(contact.document.marketingConsentAt).toBeNull()
    expect((await consentsOf(contactId)).map(({ kind, at }) => [kind, at])).toEqual([
      ['given', later(1)],
      ['withdrawn', later(100 * 60)],
    ])
    expect(await findOptIn(db, digest, later(100 * 60))).toBeNull()
  })

  test('works with an old link, and not with an unknown one', async () => {
    const { digest } = await linkedContact()
    expect(await suppress(db, digest, person, later(80 * 24 * 60))).toEqual({ shopName: 'Bloom' })
    expect(await suppress(db, Buffer.alloc(32, 9), person, start)).toBeNull()
    expect(await findSender(db, Buffer.alloc(32, 9))).toBeNull()
  })

  test('at the same moment as the yes: whatever wins, the mailbox is suppressed and no consent stands', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { shopId, contactId, digest } = await linkedContact()
      await Promise.all([confirmOptIn(db, digest, person, later(1)), suppress(db, digest, person, later(1))])
      expect((await contactOf(shopId, contactId)).marketing_consent_at).toBeNull()
      expect(await findOptIn(db, digest, later(2))).toBeNull()
    }
  })
})
