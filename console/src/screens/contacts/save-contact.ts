// The call that creates a contact or changes it; the API finds the one with the email or the phone.
import { FieldProblem } from '../../frame/errors.ts'
import { api } from '../../frame/session.ts'
import type { Body } from '../../parts/fields/changes.ts'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import type { Contact } from './contact.ts'
import { bodyOf, changeOf, isWrong, typedOf, type TypedContact } from './contact-input.ts'

type Save = (shop: string, body: Body, options: { idempotencyKey: string }) => Promise<Contact>
const { contact: text } = words.forms
const untyped = (method: unknown) => method
// The forms make the bodies; the API checks them.
const save = untyped(api.contacts.save) as Save

/** Throws the refusal. `keyOf` makes the key of the call. */
export function createContact(
  { handle, timeZone }: Shop,
  typed: TypedContact,
  keyOf: (body: Body) => string,
): Promise<Contact> {
  const body = bodyOf(typed, timeZone)
  return save(handle, body, { idempotencyKey: keyOf(body) })
}

/** Sends what `typed` has in another way than `first`. Throws the refusal. */
export function changeContact(
  { handle, timeZone }: Shop,
  contact: Contact,
  first: TypedContact,
  typed: TypedContact,
): Promise<Contact> {
  const body = changeOf(contact, bodyOf(first, timeZone), bodyOf(typed, timeZone))
  if (isWrong(body)) {
    const { wrong } = body
    throw new FieldProblem(wrong, typed[wrong].trim() === '' ? text.emptied : text.bothChanged)
  }
  return save(handle, body, { idempotencyKey: crypto.randomUUID() })
}

/** What the form of a contact begins with. */
export function firstOf(contact: Contact | null, { timeZone }: Shop): TypedContact {
  return typedOf(contact, timeZone, new Date())
}
