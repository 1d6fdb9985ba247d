// Owns the Shopify customers export, both generations of its address columns. import-formats.md, section 4.
import type { ImportFormat } from './format.ts'
import { namesOf, type PersonColumns, personKeys, readPeople } from './person-rows.ts'

const columns: PersonColumns = {
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

// Known and left out: consents that prove nothing, sums that are ours to make, the seller's private note.
const ignored = new Set(
  [
    'accepts email marketing, accepts sms marketing, accepts marketing, company, default address company',
    'total spent, total orders, tax exempt, note',
  ].flatMap((names) => names.split(', ')),
)

export const shopifyCustomers: ImportFormat = {
  format: 'shopify-customers',
  recognises: (present) => ['first name', 'email', 'total orders'].every((column) => present.has(column)),
  required: [['first name', 'email', 'total orders']],
  columns: namesOf(columns),
  ignores: (column) => ignored.has(column),
  currency: null,
  openGroupKey: personKeys(columns),
  read: (groups, context, report) => readPeople(groups, columns, context, report),
}
