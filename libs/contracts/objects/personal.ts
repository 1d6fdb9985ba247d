// Which fields of the published objects hold personal data. docs/spec/operators-and-roles.md#roles, docs/spec/audit.md

/**
 * What `support` does not see: names, emails, phones, addresses and notes. Fields by the `object` that holds them; a path of two steps
 * reaches into a part of the object, or into each of several.
 */
export const personalFields: Readonly<Record<string, readonly string[]>> = {
  order: ['customer.name', 'customer.email', 'customer.phone', 'address', 'note', 'privateNote'],
  contact: ['name', 'email', 'phone', 'address', 'privateNote', 'consents'],
  shop: ['ownerEmail'],
  operator: ['name', 'email'],
  request: ['source'], // The address of the caller.
  import: ['errors.message', 'errors.key', 'errors.value'], // They may quote a cell.
}

/** What no audit entry holds: all that the erasure of a person takes out of the objects, since an entry stays. */
export const unrecordedFields: Readonly<Record<string, readonly string[]>> = {
  ...personalFields,
  order: ['customer', 'address', 'note', 'delivery.trackingNumber', 'delivery.trackingUrl', 'booking.serviceLocation'],
  contact: ['name', 'email', 'phone', 'address', 'tags'],
  view: ['name', 'path'], // A filter may name a person.
}
