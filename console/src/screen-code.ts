// The code of each screen, loaded when it is first shown.
import type { ComponentType } from 'preact'
import type { Found, Screen, ScreenProps } from './screens.ts'

type ScreenCode = {
  load(): Promise<ComponentType<ScreenProps>>
  /** Finds objects of the screen by an id or an email, for the palette. */
  find?(shop: string, text: string, signal: AbortSignal): Promise<Found[]>
}

export const screenCode: Partial<Record<Screen['name'], ScreenCode>> = {
  orders: {
    load: async () => (await import('./screens/orders/orders.tsx')).Orders,
    find: async (...sought) => (await import('./screens/orders/find.ts')).findOrders(...sought),
  },
  keys: {
    load: async () => (await import('./screens/keys/keys.tsx')).Keys,
  },
  webhooks: {
    load: async () => (await import('./screens/webhooks/webhooks.tsx')).Webhooks,
  },
  audit: {
    load: async () => (await import('./screens/audit/audit.tsx')).Audit,
  },
}
