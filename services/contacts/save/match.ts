// Owns finding the contact of a buyer. Back office: POST /shops/{shop}/orders ("matched by email, then phone").
// import-formats.md, section 3, "Contacts".
import type { Sql } from '#postgres/connect'
import { emailKey, normaliseEmail, normalisePhone } from '#person/person'
import { findAllPeople, findPeople } from '../queries.ts'

type Person = { email: string | null; phone: string | null }

/** The id by email, else by phone, else null; and the phone in its normal form, null if it is none. */
export async function matchPerson(db: Sql, shopId: string, person: Person, country: string | null) {
  const { key, phone } = identityOf(person, country)
  const people = key === null && phone === null ? [] : await findPeople(db, shopId, key, phone)
  const found = people.find((one) => one.email_key === key) ?? people[0]
  return { contact_id: found?.id ?? null, phone }
}

/** The same for many, in their order: ids alone. */
export async function matchPeople(db: Sql, shopId: string, people: Person[], country: string | null) {
  const wanted = people.map((person) => identityOf(person, country))
  const keys = wanted.flatMap(({ key }) => key ?? [])
  const phones = wanted.flatMap(({ phone }) => phone ?? [])
  const rows = await findAllPeople(db, shopId, keys, phones)
  const byEmail = new Map(rows.map((row) => [row.email_key, row.id]))
  const byPhone = new Map(rows.map((row) => [row.phone, row.id]))
  const idOf = ({ key, phone }: { key: string | null; phone: string | null }) =>
    (key === null ? undefined : byEmail.get(key)) ?? (phone === null ? undefined : byPhone.get(phone)) ?? null
  return { contact_ids: wanted.map(idOf) }
}

function identityOf({ email, phone }: Person, country: string | null) {
  const address = email === null ? null : normaliseEmail(email)
  return {
    key: address === null ? null : emailKey(address),
    phone: phone === null ? null : normalisePhone(phone, country),
  }
}
