// Owns what stands around the service in the chaos and is never killed: contacts, catalog, and a webhooks service that
// remembers every event it was handed, how often, and can tell the moment at which one comes.
import type { ServiceBroker } from 'moleculer'
import type { Settings } from '#runtime/service'
import { openLog } from '#telemetry/log'
import { startProcess } from '#runtime/process'
import { refuse } from '#contracts/errors'
import { toSingle } from '#paging/page'

export type Received = { bodies: Map<string, string>; calls: number; again: number; changed: number }
export type Outside = {
  broker: ServiceBroker
  received: Received
  settled: Set<string>
  /** Waits for the next hand-over. From then on nothing is stored (`before`) or answered (`after`) until `resume`. */
  nextIngest(moment: 'before' | 'after'): Promise<void>
  resume(): void
  stop(): Promise<void>
}

/** Starts it in this process. */
export async function startOutside(settings: Settings): Promise<Outside> {
  const received: Received = { bodies: new Map(), calls: 0, again: 0, changed: 0 }
  const settled = new Set<string>()
  let wanted: { moment: 'before' | 'after'; reached: () => void } | null = null
  let isAway = false
  const away = () => refuse('unavailable', 'webhooks is away.')
  const running = await startProcess({
    settings,
    log: openLog('silent', 'outside'),
    nodeName: 'outside',
    services: [
      {
        name: 'outside',
        storage: null,
        needsAdminToken: false,
        dependencies: [],
        schema: () => ({
          actions: {
            'contacts.match': async () => ({ contact_id: null, phone: null }),
            'contacts.get': async () => toSingle('{}'),
            'products.get': async () => toSingle(membership),
            'products.reserve': async ({ params: { items } }) => ({ items: items.map(sold) }),
            'products.settle': async ({ params: { body } }) => {
              settled.add(body.order_id)
              return {}
            },
            'webhooks.ingest': async ({ params: { events } }) => {
              if (isAway) throw away()
              received.calls += 1
              const { moment = null, reached = () => undefined } = wanted ?? {}
              wanted = null
              isAway = moment !== null
              if (moment !== 'before') for (const { id, body } of events) remember(id, body)
              reached()
              if (isAway) throw away()
              return {}
            },
          },
        }),
      },
    ],
  })
  return {
    broker: running.broker,
    received,
    settled,
    nextIngest: (moment) =>
      new Promise((resolve) => {
        wanted = { moment, reached: resolve }
      }),
    resume() {
      isAway = false
    },
    stop: running.stop,
  }

  function remember(id: string, body: string) {
    const before = received.bodies.get(id)
    if (before !== undefined) received.again += 1
    if (before !== undefined && before !== body) received.changed += 1
    received.bodies.set(id, body)
  }
}

const membership = JSON.stringify({
  kind: 'membership',
  price: { cents: 900, amount: '9.00', currency: 'GBP' },
  membership: { interval: 'month', trialDays: null },
})

function sold({ product_id, variant_id }: { product_id: string; variant_id: string | null }) {
  return {
    product_id,
    variant_id,
    title: 'Mug',
    variant_label: null,
    sku: null,
    kind: 'physical' as const,
    unit_price_cents: 500_000,
  }
}
