// The floor of saving a contact: one read; where something changes, one statement with the stamp, the row, its tags and the kept answer.
import { createHash, randomUUID } from 'node:crypto'
import { contactDocument, savedContactDocument } from '../../../services/contacts/shape.ts'
import type { ContactRow } from '../../../services/contacts/tables.ts'
import { rows, stamped, UNSTAMPED } from './database.ts'

export type Person = { name: string; email: string; tags: string[] }

const ATTEMPTS_MAX = 5
const FIND = 'select * from contacts.contacts where shop_id = $1 and email_key = $2'
// $1 shop, $2 id, $3 tags, $4 document, $5 tags that are new, $6 digest of the key or null.
const STAMP = 'with stamp as materialized (select contacts.begin_change($1) as at)'
const REST = `
  , tagged as (
    insert into contacts.contact_tags (shop_id, contact_id, created_at, tag)
    select $1, $2, created_at, tag from written, unnest($5::text[]) tag
  ), kept as (
    insert into contacts.idempotent_answers (shop_id, key_digest, fingerprint, answer, created_at)
    select $1, $6, '', convert_to(document, 'UTF8'), at from written where $6::bytea is not null
  )
  select document from written`
const CHANGE = `${STAMP}, written as (
    update contacts.contacts c set tags = $3, document = ${stamped('$4')}, updated_at = at from stamp
    where c.shop_id = $1 and c.id = $2 and c.updated_at = $7
    returning c.document, c.created_at, at
  ) ${REST}`
const CREATE = `${STAMP}, written as (
    insert into contacts.contacts (shop_id, id, name, email, email_key, tags, source, document, created_at, updated_at)
    select $1, $2, $7, $8, $8, $3, 'api', ${stamped('$4')}, at, at from stamp
    on conflict do nothing returning document, created_at, updated_at as at
  ) ${REST}`

/** The answer to POST /contacts; `key` is its Idempotency-Key. */
export async function saveContact(shopId: string, person: Person, key: string | undefined): Promise<Buffer> {
  const digest = key === undefined ? null : createHash('sha256').update(key).digest()
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const [before] = await rows<ContactRow>(FIND, [shopId, person.email])
    const added = person.tags.filter((tag) => before?.tags.includes(tag) !== true)
    if (before !== undefined && added.length === 0) return answerOf(before.document)
    const after = { ...(before ?? created(shopId, person)), updated_at: UNSTAMPED }
    after.tags = [...after.tags, ...added]
    const values = [shopId, after.id, after.tags, contactDocument(after), added, digest]
    const more = before === undefined ? [person.name, person.email] : [before.updated_at]
    const [written] = await rows<ContactRow>(before === undefined ? CREATE : CHANGE, [...values, ...more])
    if (written !== undefined) return answerOf(written.document)
  }
  throw new Error('A contact was changed by others again and again.')
}

function created(shopId: string, { name, email }: Person): Omit<ContactRow, 'document'> {
  const nothing = null
  return {
    id: randomUUID(),
    shop_id: shopId,
    name,
    email,
    email_key: email,
    phone: nothing,
    tags: [],
    source: 'api',
    marketing_consent_at: nothing,
    private_note: nothing,
    line1: nothing,
    line2: nothing,
    city: nothing,
    region: nothing,
    postal_code: nothing,
    country: nothing,
    created_at: UNSTAMPED,
    updated_at: UNSTAMPED,
  }
}

function answerOf(document: string): Buffer {
  const saved = savedContactDocument(document, { optInSent: false, droppedTags: [], ignored: [] })
  return Buffer.from(`{"data":${saved}}`)
}
