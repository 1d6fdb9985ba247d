// The texts of contacts, products and memberships in English.

export const shopWords = {
  contacts: {
    one: 'Contact',
    columns: { name: 'Name', email: 'Email', tags: 'Tags', source: 'From', consent: 'Consent', added: 'Added' },
    consented: 'consented',
    notConsented: 'no consent',
    empty: 'No contact yet. A checkout, a sign-up form and the API make contacts; an import takes a list of them.',
    phone: 'Phone',
    address: 'Address',
    consentAt: 'Agreed to news',
    changed: 'Changed',
    redacted: 'Your role sees no personal data.',
    orders: 'Orders',
    noOrders: 'No order.',
    allOrders: 'All orders of this contact',
    memberships: 'Memberships',
    noMemberships: (looked: number) => `None among the newest ${looked.toLocaleString('en')} memberships.`,
    none: 'No membership.',
    further: 'Look further',
    moves: 'What can be done',
    erase: 'Erase this person',
    eraseReason: 'your role may only read',
    eraseAbout:
      'This cannot be taken back. The contact goes, and the events that name the person with their deliveries. Orders stay without their buyer; memberships go on.',
    eraseWord: 'erase',
    eraseField: 'Type erase to confirm',
    erased: (name: string) => `Erased ${name}.`,
  },
  memberships: {
    each: (sum: string, interval: string) => `${sum} a ${interval}`,
  },
} as const
