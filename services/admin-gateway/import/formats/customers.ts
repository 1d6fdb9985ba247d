// Customer files of Shopify and Spree (docs/spec/imports.md#shopify-customers, docs/spec/imports.md#spree-customers). Rows
// with the same email or phone are one contact; a later row only fills gaps. No consent is read, since no file proves a double
// opt-in.
import { emailKey, normaliseEmail, normalisePhone } from '#person/person'
import { isDamagedId, parseCountry, parseTags, unguard } from '../reader/cell.ts'
import { type CsvRecord, cell } from '../reader/csv.ts'
import { type Fields, type ImportContext, openFields } from '../reader/fields.ts'
import type { Group, NoKey, OpenGroupKey } from '../reader/group.ts'
import { openKeyMap } from '../reader/key-map.ts'
import type { ImportedAddress, ImportedContact, ImportItem } from '../reader/item.ts'
import type { Report } from '../writer/report.ts'
import type { ImportFormat } from './format.ts'

/** The columns of a format; of several, the first that is not empty counts. */
type PersonColumns = {
  id: string | null
  firstName: string
  lastName: string
  email: string
  phones: readonly string[]
  line1: readonly string[]
  line2: readonly string[]
  city: readonly string[]
  region: readonly string[]
  postalCode: readonly string[]
  country: readonly string[]
  tags: string
}

const shopifyColumns: PersonColumns = {
  id: 'customer id',
  firstName: 'first name',
  lastName: 'last name',
  email: 'email',
  phones: ['phone', 'default address phone'],
  line1: ['address1', 'default address address1'],
  line2: ['address2', 'default address address2'],
  city: ['city', 'default address city'],
  region: ['province', 'province code', 'default address province code'],
  postalCode: ['zip', 'default address zip'],
  country: ['country code', 'default address country code', 'country'],
  tags: 'tags',
}

// Not read: consents without proof, sums that the product computes, the seller's private note.
const shopifyIgnored = new Set(
  [
    'accepts email marketing, accepts sms marketing, accepts marketing, company, default address company',
    'total spent, total orders, tax exempt, note',
  ].flatMap((names) => names.split(', ')),
)

export const shopifyCustomers: ImportFormat = {
  format: 'shopify-customers',
  recognises: (present) => ['first name', 'email', 'total orders'].every((column) => present.has(column)),
  required: [['first name', 'email', 'total orders']],
  columns: namesOf(shopifyColumns),
  ignores: (column) => shopifyIgnored.has(column),
  currency: null,
  holdsPersons: true,
  openGroupKey: personKeys(shopifyColumns),
  read: (groups, context, report) => readPeople(groups, shopifyColumns, context, report),
}

const spreeColumns: PersonColumns = {
  id: null,
  firstName: 'first_name',
  lastName: 'last_name',
  email: 'email',
  phones: ['phone'],
  line1: ['address1'],
  line2: ['address2'],
  city: ['city'],
  region: ['province_code'],
  postalCode: ['zip'],
  country: ['country_code'],
  tags: 'tags',
}

export const spreeCustomers: ImportFormat = {
  format: 'spree-customers',
  recognises: (present) => ['email', 'first_name', 'last_name'].every((column) => present.has(column)),
  required: [['email', 'first_name', 'last_name']],
  columns: namesOf(spreeColumns),
  ignores: (column) => ['accepts_email_marketing', 'company'].includes(column),
  currency: null,
  holdsPersons: true,
  openGroupKey: personKeys(spreeColumns),
  read: (groups, context, report) => readPeople(groups, spreeColumns, context, report),
}

function namesOf(columns: PersonColumns): string[] {
  return Object.values(columns)
    .flat()
    .filter((name) => name !== null)
}

/** The key of a person is that of the first row: id, else email, else phone. */
function personKeys(columns: PersonColumns): OpenGroupKey {
  return async (_readAll, { country }) =>
    () => {
      const keyOf = openKeyMap()
      return (record) => {
        const { email, phone } = identityOf(record, columns, country)
        if (email === null && phone === null) return noIdentity
        const identities = [email, phone].filter((identity) => identity !== null)
        const known = identities.map((identity) => keyOf.get(identity)).find((key) => key !== undefined)
        const key = known ?? idOf(record, columns) ?? email ?? phone ?? ''
        for (const identity of identities) if (keyOf.get(identity) === undefined) keyOf.set(identity, key)
        return key
      }
    }
}

async function* readPeople(
  groups: AsyncIterable<Group>,
  columns: PersonColumns,
  context: ImportContext,
  report: Report,
): AsyncGenerator<ImportItem, void, undefined> {
  for await (const { key, records } of groups) {
    const fields = openFields(context, report)
    const [first, ...later] = records
    const rows = records.map((record) => readRow(record, columns, fields))
    for (const record of later) {
      fields.warn(record, columns.email, 'merged', `The same person stands in line ${first.line}.`)
    }
    const contact = rows.reduce(merge)
    if (fields.hasFailed()) report.counts.failed += 1
    else yield { kind: 'contact', key, record: first.number, line: first.line, only_create: false, contact }
  }
}

const noIdentity: NoKey = {
  column: null,
  code: 'no_identity',
  message: 'The row has neither an email address nor a phone number.',
}

function identityOf(record: CsvRecord, columns: PersonColumns, country: string | null) {
  const email = normaliseEmail(unguard(cell(record, columns.email) ?? ''))
  const from = columns.country.map((column) => parseCountry(cell(record, column) ?? '')).find((code) => code !== null)
  const phones = columns.phones.map((column) => normalisePhone(unguard(cell(record, column) ?? ''), from ?? country))
  return { email: email && emailKey(email), phone: phones.find((phone) => phone !== null) ?? null }
}

function idOf(record: CsvRecord, { id }: PersonColumns): string | null {
  const text = id === null ? '' : unguard(cell(record, id) ?? '')
  return text === '' || isDamagedId(text) ? null : text
}

function readRow(record: CsvRecord, columns: PersonColumns, fields: Fields): ImportedContact {
  if (columns.id !== null) fields.id(record, columns.id) // Warns where it has lost digits.
  const first = (names: readonly string[], read: (record: CsvRecord, column: string) => string | null) =>
    names.map((name) => read(record, name)).find((text) => text !== null) ?? null
  const country = readCountry(record, columns, fields)
  const address: ImportedAddress = {
    line1: first(columns.line1, fields.text),
    line2: first(columns.line2, fields.text),
    city: first(columns.city, fields.text),
    region: first(columns.region, fields.text),
    postal_code: first(columns.postalCode, fields.code),
    country,
  }
  const names = [fields.text(record, columns.firstName), fields.text(record, columns.lastName)]
  return {
    name: names.filter((name) => name !== null).join(' ') || null,
    email: fields.email(record, columns.email),
    phone: fields.phone(record, columns.phones, country),
    tags: parseTags(fields.text(record, columns.tags) ?? ''),
    address,
    source: 'import',
    created_at: null,
  }
}

/** The code, else the name; a warning only where neither can be read. */
function readCountry(record: CsvRecord, { country }: PersonColumns, fields: Fields): string | null {
  const given = country.filter((column) => cell(record, column) !== null)
  const readable = given.find((column) => parseCountry(cell(record, column) ?? '') !== null)
  const column = readable ?? given[0]
  return column === undefined ? null : fields.country(record, column)
}

function merge(one: ImportedContact, later: ImportedContact): ImportedContact {
  const hasAddress = Object.values(one.address).some((text) => text !== null)
  return {
    ...one,
    name: one.name ?? later.name,
    email: one.email ?? later.email,
    phone: one.phone ?? later.phone,
    tags: [...new Set([...one.tags, ...later.tags])],
    address: hasAddress ? one.address : later.address, // Never parts of two addresses.
  }
}
