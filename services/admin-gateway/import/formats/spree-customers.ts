// Owns the customers of Spree's sample data. import-formats.md, section 6: as section 4, under other names.
import type { ImportFormat } from './format.ts'
import { namesOf, type PersonColumns, personKeys, readPeople } from './person-rows.ts'

const columns: PersonColumns = {
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
  columns: namesOf(columns),
  ignores: (column) => ['accepts_email_marketing', 'company'].includes(column),
  currency: null,
  openGroupKey: personKeys(columns),
  read: (groups, context, report) => readPeople(groups, columns, context, report),
}
