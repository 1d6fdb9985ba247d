// Endpoints and events of a shop in its archive, and how a restore writes them. docs/spec/archives.md
// An endpoint comes back with a new secret; the part `endpoint-secrets`, which follows, replaces it by the archived one.
import { type KeyObject, randomUUID } from 'node:crypto'
import { archiveHandlers } from '#archive/handlers'
import { restorePart } from '#archive/restore-part'
import { endpointRows, feedRows } from '#contracts/archive/shop-rows'
import { beginEpoch } from '#outbox/epochs'
import type { Database } from '#postgres/connect'
import type { ActionHandlers } from '#runtime/service'
import { createSchedule } from '../delivery/queue-queries.ts'
import { createSecret, lastFourOf, sealSecret } from '../endpoints/secrets.ts'
import { makeMissingDays } from '../events/store.ts'
import { daysOf, restoreEvents } from './events.ts'
import { readSecrets, restoreSecrets } from './secrets.ts'

type Options = { db: Database; secretKeys: KeyObject[] }

export function webhookArchive({ db, secretKeys }: Options): ActionHandlers {
  return archiveHandlers('webhooks', db, {
    beginEpoch: (tx, shopId, epoch) => beginEpoch(tx, [shopId], epoch),
    read: { 'endpoint-secrets': (shopId, after) => readSecrets(db, shopId, secretKeys, after) },
    async prepare(part, rows, now) {
      if (part === 'events') await makeMissingDays(db, daysOf(rows), now)
    },
    restore: {
      async 'webhook-endpoints'(tx, rows, batch) {
        await createSchedule(tx, batch.shopId)
        await restorePart(tx, endpointRows, rows, {
          ...batch,
          conflict: ['shop_id', 'id'],
          complete: ({ row }) => ({ queue_id: randomUUID(), ...newSecret(String(row.id)) }),
        })
      },
      'endpoint-secrets': (tx, rows, batch) => restoreSecrets(tx, rows, batch, secretKeys),
      events: restoreEvents,
      async 'event-feed'(tx, rows, batch) {
        await restorePart(tx, feedRows, rows, { ...batch, conflict: ['shop_id'] })
      },
    },
  })

  function newSecret(endpointId: string) {
    const secret = createSecret()
    const { sealed, keyId } = sealSecret(secret, endpointId, secretKeys)
    const bytes = `\\x${sealed.toString('hex')}`
    return { secret: bytes, secret_key_id: keyId, secret_last_four: lastFourOf(secret) }
  }
}
