// The actions that write contacts, and those that find the contact of a buyer. docs/spec/rest-api.md#save-a-contact,
// docs/spec/rest-api.md#change-tags, docs/spec/back-office.md#contacts
import { commandAnswer } from '#audit/command'
import type { ActionHandlers } from '#runtime/service'
import type { ActionParams } from '#contracts/actions'
import { isUuid } from '#contracts/actions/params'
import { refuse } from '#contracts/errors'
import { contactInput } from '#contracts/input/contact'
import { toSingle } from '#paging/page'
import { emailKey, normaliseEmail, normalisePhone } from '#person/person'
import type { Sql } from '#postgres/connect'
import { once } from '#postgres/idempotency'
import { openParams } from '#schema/open'
import { noContact } from '../list.ts'
import { fromBackOffice } from './contact-fields.ts'
import { findAllPeople, findPeople } from './queries.ts'
import { type RequestContext, signUp, upsertPerson } from './request.ts'
import { changeOnPerson, saveContact, tagContact } from './save.ts'
import { normaliseTags } from './tags.ts'

export function saveActions(context: RequestContext): ActionHandlers {
  const { db } = context
  return {
    'contacts.upsert': ({ params, locals }) => upsertPerson(context, params, locals),
    async 'contacts.signup'({ params, locals }) {
      await signUp(context, params, locals)
      return {}
    },
    async 'contacts.tag'({ params: { id, ...tags }, locals: { caller, idempotency, now } }) {
      const add = normaliseTags(tags.add ?? [], 'add')
      const remove = normaliseTags(tags.remove ?? [], 'remove')
      if (add.length + remove.length === 0) throw noTag(tags)
      if (!isUuid(id)) throw noContact()
      return db.change(caller.shopId, (tx, stamp) =>
        once(tx, caller.shopId, idempotency, now, async () => {
          const contact = await tagContact(tx, caller.shopId, id, add, remove, stamp)
          if (contact === null) throw noContact()
          return toSingle(contact.document)
        }),
      )
    },
    async 'contacts.save'({ params, locals }) {
      const { caller, now } = locals
      const fields = fromBackOffice(openParams(contactInput, params.contact), caller.country, now)
      const answer = await changeOnPerson(db, caller.shopId, (tx, stamp) =>
        commandAnswer(tx, locals, async () => {
          const { before, contact } = await saveContact(tx, caller.shopId, fields, stamp)
          return { before: before?.document ?? null, after: contact.document, created: before === null }
        }),
      )
      return { created: answer.created === true, body: answer.body }
    },
    'contacts.match': ({ params, locals: { caller } }) => matchPerson(db, caller.shopId, params, caller.country),
    'contacts.match_all': ({ params: { people }, locals: { caller } }) =>
      matchPeople(db, caller.shopId, people, caller.country),
  }
}

// Names the list that was sent empty.
function noTag({ add, remove }: Pick<ActionParams<'contacts.tag'>, 'add' | 'remove'>) {
  const sent = Object.entries({ add, remove }).flatMap(([name, list]) => (Array.isArray(list) ? name : []))
  const [field = 'add'] = sent
  const subject = sent.length === 1 ? field : 'add or remove'
  return refuse('invalid_request', `${subject} must hold at least one tag.`, { field })
}

type Person = { email: string | null; phone: string | null }

// The contact is found by email, then by phone. `phone` is answered in its stored form, null where it is no phone.
async function matchPerson(db: Sql, shopId: string, person: Person, country: string | null) {
  const { key, phone } = identityOf(person, country)
  const people = key === null && phone === null ? [] : await findPeople(db, shopId, key, phone)
  const found = people.find(({ email_key }) => email_key === key) ?? people[0]
  return { contact_id: found?.id ?? null, phone }
}

async function matchPeople(db: Sql, shopId: string, people: Person[], country: string | null) {
  const identities = people.map((person) => identityOf(person, country))
  const keys = identities.flatMap(({ key }) => key ?? [])
  const phones = identities.flatMap(({ phone }) => phone ?? [])
  const rows = await findAllPeople(db, shopId, keys, phones)
  const byEmail = new Map(rows.map((row) => [row.email_key, row.id]))
  const byPhone = new Map(rows.map((row) => [row.phone, row.id]))
  const idOf = ({ key, phone }: { key: string | null; phone: string | null }) =>
    (key === null ? undefined : byEmail.get(key)) ?? (phone === null ? undefined : byPhone.get(phone)) ?? null
  return { contact_ids: identities.map(idOf) }
}

function identityOf({ email, phone }: Person, country: string | null) {
  const normal = email === null ? null : normaliseEmail(email)
  return {
    key: normal === null ? null : emailKey(normal),
    phone: phone === null ? null : normalisePhone(phone, country),
  }
}
