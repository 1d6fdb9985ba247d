// Shops, API keys and their budgets, usage and requests of the keys, records of imports, and the operators of the back office with
// their views and the audit of what they did.
// Broadcasts `key.changed` when a key or its shop has changed. Calls the gateways that hold leases (budget/budget.ts), and the services
// that have rows of a deleted shop (shops/deletion.ts).
import { join } from 'node:path'
import { migrationsIn } from '#postgres/migrations'
import type { ServiceContext, ServiceDefinition, ServiceParts } from '#runtime/service'
import { limits } from '#contracts/limits'
import type { Worker } from '#runtime/worker-loop'
import { auditActions, keepAuditMonths } from './audit/actions.ts'
import { openBudget } from './budget/budget.ts'
import { startCleanup } from './cleanup.ts'
import { importActions } from './imports/actions.ts'
import { keyActions } from './keys/actions.ts'
import { startMeasures } from './measures.ts'
import { operatorActions } from './operators/actions.ts'
import { restoreActions } from './restores/actions.ts'
import { sessionActions } from './sessions/actions.ts'
import { shopActions } from './shops/actions.ts'
import { startDeletions } from './shops/deletion.ts'
import { ImportTable, KeyTable, ShopTable } from './tables.ts'
import { viewActions } from './views/actions.ts'
import { usageActions } from './usage/actions.ts'
import { keepRequestDays } from './usage/request-queries.ts'

export const auth: ServiceDefinition = {
  name: 'auth',
  storage: {
    schema: 'auth',
    entities: [ShopTable, KeyTable, ImportTable],
    migrations: await migrationsIn(join(import.meta.dirname, 'migrations')),
  },
  needsAdminToken: false,
  dependencies: [],
  schema: authSchema,
}

function authSchema(context: ServiceContext): ServiceParts {
  const db = context.database()
  const budget = openBudget(context, db)
  let cleanup: Worker | null = null
  let deletions: Worker | null = null
  let measures: Worker | null = null
  return {
    actions: {
      'auth.admit': ({ params }) => budget.admit(params),
      'auth.recognise': ({ params }) => budget.recognise(params.key_ids),
      'auth.find_keys': ({ params }) => budget.findKeys(params.keys),
      'auth.note_failures': ({ params }) => budget.noteFailures(params.failures),
      'auth.give_back': ({ params }) => budget.giveBack(params),
      ...shopActions(context, db, () => deletions?.wake()),
      ...keyActions(context, db),
      ...operatorActions(context, db),
      ...sessionActions(context, db),
      ...viewActions(context, db),
      ...usageActions(context, db),
      ...importActions(context, db),
      ...restoreActions(context, db),
      ...auditActions(context, db),
    },
    async started() {
      const { requestsPerMinute } = context.settings
      if (requestsPerMinute !== limits.requestsPerMinute) {
        context.log.warn(
          { requests_per_minute: requestsPerMinute, usual: limits.requestsPerMinute },
          'REQUESTS_PER_MINUTE is not the published one',
        )
      }
      await keepRequestDays(db, new Date())
      await keepAuditMonths(db, new Date()) // Before the first change: an entry needs the partition of its month.
      cleanup = startCleanup(db, context.log)
      deletions = startDeletions(context, db)
      measures = await startMeasures(context, db)
    },
    async stopped() {
      await measures?.stop()
      await deletions?.stop()
      await cleanup?.stop()
    },
  }
}
