// Which fields of the published objects hold personal data: names, emails, phones, addresses and notes.
// docs/spec/access.md#roles, docs/spec/access.md#audit

/** Fields by the `object` that holds them; a path of two steps reaches into a part of the object. */
export const personalFields: Readonly<Record<string, readonly string[]>> = {
  order: ['customer.name', 'customer.email', 'customer.phone', 'address', 'note'],
  contact: ['name', 'email', 'phone', 'address'],
  shop: ['ownerEmail'],
  operator: ['name', 'email'],
  request: ['source'], // The address of whoever called.
}
