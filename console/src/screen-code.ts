// The code of each screen, loaded when it is first shown.
import type { ComponentType } from 'preact'
import type { Found, Screen, ScreenProps, WideScreenProps } from './screens.ts'

export type ScreenCode = {
  load?(): Promise<ComponentType<ScreenProps>>
  /** Instead of `load`, of a screen of all shops. */
  loadWide?(): Promise<ComponentType<WideScreenProps>>
  /** Finds objects of the screen by an id or an email, for the palette. */
  find?(shop: string, text: string, signal: AbortSignal): Promise<Found[]>
}

export const screenCode: Partial<Record<Screen['name'], ScreenCode>> = {
  overview: {
    load: async () => (await import('./screens/overview/overview.tsx')).Overview,
  },
  orders: {
    load: async () => (await import('./screens/orders/orders.tsx')).Orders,
    find: async (...sought) => (await import('./screens/orders/find.ts')).findOrders(...sought),
  },
  events: {
    load: async () => (await import('./screens/events/events.tsx')).Events,
    find: async (...sought) => (await import('./screens/events/find.ts')).findEvents(...sought),
  },
  deliveries: {
    load: async () => (await import('./screens/deliveries/deliveries.tsx')).Deliveries,
    find: async (...sought) => (await import('./screens/deliveries/find.ts')).findDeliveries(...sought),
  },
  requests: {
    load: async () => (await import('./screens/requests/requests.tsx')).Requests,
    find: async (...sought) => (await import('./screens/requests/find.ts')).findRequests(...sought),
  },
  products: {
    load: async () => (await import('./screens/products/products.tsx')).Products,
    find: async (...sought) => (await import('./screens/products/find.ts')).findProducts(...sought),
  },
  contacts: {
    load: async () => (await import('./screens/contacts/contacts.tsx')).Contacts,
    find: async (...sought) => (await import('./screens/contacts/find.ts')).findContacts(...sought),
  },
  memberships: {
    load: async () => (await import('./screens/memberships/memberships.tsx')).Memberships,
    find: async (...sought) => (await import('./screens/memberships/find.ts')).findMemberships(...sought),
  },
  import: {
    load: async () => (await import('./screens/import/imports.tsx')).Imports,
  },
  keys: {
    load: async () => (await import('./screens/keys/keys.tsx')).Keys,
  },
  webhooks: {
    load: async () => (await import('./screens/webhooks/webhooks.tsx')).Webhooks,
  },
  agents: {
    load: async () => (await import('./screens/agents/agents.tsx')).Agents,
  },
  reference: {
    loadWide: async () => (await import('./screens/reference/reference.tsx')).Reference,
  },
  audit: {
    load: async () => (await import('./screens/audit/audit.tsx')).Audit,
  },
  operators: {
    loadWide: async () => (await import('./screens/operators/operators.tsx')).Operators,
  },
  auditAll: {
    loadWide: async () => (await import('./screens/audit/audit-all.tsx')).AuditAll,
  },
}
