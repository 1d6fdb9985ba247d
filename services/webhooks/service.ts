// Owns the events of all shops once they are handed over.
// Answers: webhooks.ingest, events.list.
// states-and-events.md 8.2. Back office: GET /shops/{shop}/events.
import { deriveKeys } from '#broker/derive-key'
import type { House, Opened, Service } from '#broker/house'
import { type Rounds, startRounds } from '#broker/rounds'
import { filterText, openPage, toPage } from '#paging/page'
import { keepEvents, storeEvents } from './event-store.ts'
import { CreateEvents1763600000005 } from './migrations/0001-create-events.ts'
import { listEvents, ping } from './queries.ts'
import { EventTable } from './tables.ts'

const HOUSEKEEPING_MS = 3_600_000

export const webhooks: Service = {
  name: 'webhooks',
  storage: { schema: 'webhooks', entities: [EventTable], migrations: [CreateEvents1763600000005] },
  needsAdminToken: false,
  calls: [],
  open,
}

async function open(house: House): Promise<Opened> {
  const db = house.database()
  const cursorKeys = deriveKeys(house.settings, 'cursor')
  let rounds: Rounds | null = null
  return {
    handlers: {
      async 'webhooks.ingest'({ events }) {
        await storeEvents(db, events)
        return {}
      },
      async 'events.list'({ limit, cursor, type }, { caller }) {
        const scope = { keys: cursorKeys, resource: 'events', shopId: caller.shopId, filter: filterText({ type }) }
        const want = openPage({ limit, cursor }, scope)
        return toPage(await listEvents(db, caller.shopId, type, want), want)
      },
    },
    async start() {
      await keepEvents(db, new Date())
      const onError = (error: unknown) => house.log.warn({ error }, 'old events could not be dropped')
      rounds = startRounds(HOUSEKEEPING_MS, () => keepEvents(db, new Date()), onError)
    },
    async ready() {
      return ping(db).then(
        () => null,
        () => 'the database does not answer',
      )
    },
    async stop() {
      await rounds?.stop()
    },
  }
}
