// A contact as the form holds it, and the body that the API gets of it. Pure.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import { addressBody, type TypedAddress, typedAddress } from '../../parts/fields/address.ts'
import { type Body, changesOf, linesOf, textOrNull } from '../../parts/fields/changes.ts'
import { instantOfLocal, localOfInstant } from '../../parts/time.ts'

type Contact = BackOfficeSchemas['Contact']
export type TypedContact = {
  name: string
  email: string
  phone: string
  /** Of a contact that exists: those to add. The API takes none away. */
  tags: string
  hasConsented: boolean
  /** By the clock of the shop. */
  consentAt: string
  address: TypedAddress
  /** Blank: the note stays as it is, because the API does not show it. */
  privateNote: string
}

/** `now` stands where the contact has not agreed yet. */
export function typedOf(contact: Contact | null, zone: string, now: Date): TypedContact {
  const agreedAt = contact?.marketingConsentAt ?? null
  return {
    name: contact?.name ?? '',
    email: contact?.email ?? '',
    phone: contact?.phone ?? '',
    tags: '',
    hasConsented: agreedAt !== null,
    consentAt: localOfInstant(agreedAt === null ? now : new Date(agreedAt), zone),
    address: typedAddress(contact?.address ?? null),
    privateNote: '',
  }
}

/** The whole body. `zone` is the shop's. */
export function bodyOf(typed: TypedContact, zone: string): Body {
  const note = textOrNull(typed.privateNote)
  return {
    name: textOrNull(typed.name),
    email: textOrNull(typed.email),
    phone: textOrNull(typed.phone),
    tags: linesOf(typed.tags),
    marketingConsentAt: typed.hasConsented ? (instantOfLocal(typed.consentAt, zone)?.toISOString() ?? null) : null,
    address: addressBody(typed.address),
    ...(note === null ? {} : { privateNote: note }),
  }
}

/** Whether the API takes another name: it keeps one that is set, unless that only repeats the email or the phone. */
export function mayRename({ name, email, phone }: Contact): boolean {
  return name === null || name === email || name === phone
}

/**
 * The body of a change, or the field that must not be changed like that. The API finds the contact by its email or its phone, so one
 * of them is sent as it is; it keeps both where it gets none.
 */
export function changeOf(contact: Contact, before: Body, after: Body): Body | { wrong: 'email' | 'phone' } {
  const change = changesOf(before, after)
  for (const name of ['email', 'phone'] as const) if (change[name] === null) return { wrong: name }
  for (const name of ['email', 'phone'] as const) {
    const kept = contact[name]
    if (kept !== null && change[name] === undefined) return { ...change, [name]: kept }
  }
  return { wrong: 'email' }
}

export function isWrong(change: Body | { wrong: 'email' | 'phone' }): change is { wrong: 'email' | 'phone' } {
  return 'wrong' in change
}
