// Owns contacts of a file with one record for each: who it is, and what of them is kept. Two rows of one person, with the
// same email in another case or the same phone, are one contact; the later row only fills gaps.
// import-formats.md, section 4. `marketing_consent_at` is never read: no file proves a double opt-in.
import { emailKey, normaliseEmail, normalisePhone } from '#person/person'
import { isDamagedId, parseCountry, parseTags, unguard } from '../reader/cell.ts'
import { type CsvRecord, cell } from '../reader/csv.ts'
import { type Fields, type ImportContext, openFields } from '../reader/fields.ts'
import type { Group, NoKey, OpenGroupKey } from '../reader/group.ts'
import type { ImportedAddress, ImportedContact, ImportItem } from '../reader/item.ts'
import type { Report } from '../writer/report.ts'

/** Where a format keeps what; of several columns the first that holds something counts. */
export type PersonColumns = {
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

/** The columns as a list, for the format. */
export function namesOf(columns: PersonColumns): string[] {
  return Object.values(columns)
    .flat()
    .filter((name) => name !== null)
}

/** One person, one group: its key is that of the first row, id, else email, else phone. */
export function personKeys(columns: PersonColumns): OpenGroupKey {
  return async (_readAll, { country }) =>
    () => {
      const keyOf = new Map<string, string>()
      return (record) => {
        const { email, phone } = identityOf(record, columns, country)
        if (email === null && phone === null) return noIdentity
        const marks = [email, phone].filter((mark) => mark !== null)
        const known = marks.map((mark) => keyOf.get(mark)).find((key) => key !== undefined)
        const key = known ?? idOf(record, columns) ?? email ?? phone ?? ''
        for (const mark of marks) if (!keyOf.has(mark)) keyOf.set(mark, key)
        return key
      }
    }
}

export async function* readPeople(
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
      fields.warn(record, columns.email, 'merged', `The same person stands in record ${first.number}.`)
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
  if (columns.id !== null) fields.id(record, columns.id) // Says so where it has lost digits.
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

/** The code, else the name; only what is neither is worth a warning. */
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
    address: hasAddress ? one.address : later.address, // Halves of two addresses would be none.
  }
}
