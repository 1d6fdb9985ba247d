// Email and phone in the form that is stored and matched, and the name of a contact without one. An import normalises exactly as
// the API does. docs/spec/objects.md#email-addresses docs/spec/objects.md#phone-numbers
import { domainToASCII } from 'node:url'
import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { limits } from '#contracts/limits'
import { isStorable, trimInvisible } from '#contracts/input/text'

/** The address as stored: spelling of the local part kept, domain ASCII and lower case. Null if it cannot be one. */
export function normaliseEmail(text: string): string | null {
  if (!isStorable(text)) return null
  const [local = '', domain = '', ...more] = trimInvisible(text.normalize('NFC')).split('@')
  if (more.length > 0 || !isLocalPart(local)) return null
  const ascii = asciiDomain(domain)
  if (ascii === null) return null
  const email = `${local}@${ascii}`
  return Buffer.byteLength(email) <= limits.emailLengthMax ? email : null
}

/** Equal for all spellings of one address. Takes the result of `normaliseEmail`. */
export function emailKey(email: string): string {
  return email.toLowerCase().normalize('NFC')
}

/**
 * E.164, for example `+442079460123`; null if it cannot be a phone. `country` (ISO 3166-1 alpha-2) reads national
 * numbers; null leaves only international ones.
 */
export function normalisePhone(text: string, country: string | null): string | null {
  const given = trimInvisible(text)
  return e164(given, country) ?? e164WithoutDoubledZero(given)
}

/** The stored name: the given one, else the email, else the phone, else `Contact`. Blank counts as absent. */
export function fallbackName(name: string | null, email: string | null, phone: string | null): string {
  const given = name !== null && trimInvisible(name) !== '' ? name : null
  return given ?? email ?? phone ?? 'Contact'
}

/** Whether a stored name is only the fallback, which a given name replaces. */
export function isFallbackName(name: string | null, email: string | null, phone: string | null): boolean {
  return name === null || name === fallbackName(null, email, phone)
}

// A dot-atom, letters beyond ASCII included; quoted local parts are refused: they may hold spaces and `@`.
const localPart = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u
const domainLabel = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
// Possible national lengths alone would let some numbers exceed the 15 digits of E.164.
const e164Form = /^\+[1-9]\d{1,14}$/
const localPartBytesMax = 64 // RFC 5321, 4.5.3.1.1.

function isLocalPart(text: string): boolean {
  return Buffer.byteLength(text) <= localPartBytesMax && localPart.test(text)
}

function asciiDomain(text: string): string | null {
  // domainToASCII reads a domain as a URL's host: it would decode percent signs and complete short IPv4 addresses.
  if (text.length > limits.emailLengthMax || /[^a-z0-9.\-\u0080-\uffff]/i.test(text)) return null
  const domain = domainToASCII(text)
  const labels = domain.split('.')
  const isDomain = labels.length > 1 && labels.every((label) => domainLabel.test(label))
  return isDomain && !/^\d+$/.test(labels.at(-1) ?? '') ? domain : null
}

function e164(text: string, country: string | null): string | null {
  const number = readPhone(text, country)
  // Some numbers lose another leading digit when they are read again: they have no stable form.
  return number !== null && readPhone(number, null) === number ? number : null
}

// Exports write the zero behind the calling code twice (`+880 00…`). Only a malformed phone is read in this way.
function e164WithoutDoubledZero(text: string): string | null {
  const phone = text.startsWith('+') ? parsePhoneNumberFromString(text, { extract: false }) : undefined
  // The parser removed one zero as the trunk prefix; a zero that is left shows that there were two.
  if (phone === undefined || phone.ext !== undefined || !phone.nationalNumber.startsWith('0')) return null
  return e164(phone.number, null)
}

function readPhone(text: string, country: string | null): string | null {
  const defaultCountry = country !== null && isSupportedCountry(country) ? country : undefined
  const phone = parsePhoneNumberFromString(text, { defaultCountry, extract: false })
  // E.164 has no extension. Without it two colleagues behind one switchboard would be one person.
  if (phone === undefined || phone.ext !== undefined || !phone.isPossible()) return null
  return e164Form.test(phone.number) ? phone.number : null
}
