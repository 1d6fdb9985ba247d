// Shops, API keys, agents and their budgets, usage and requests of both, records of imports, and the operators of the back office with
// their views and the audit of what they did.
// Broadcasts `key.changed` when a key, an agent or its shop has changed. Calls the gateways that hold leases (budget/budget.ts), and the services
// that have rows of a deleted shop (shops/deletion.ts).
import { join } from 'node:path'
import { migrationsIn } from '#postgres/migrations/in-folder'
import type { ServiceContext, ServiceDefinition, ServiceParts } from '#runtime/service'
import { limits } from '#contracts/limits'
import { startPeriodic, type Worker } from '#runtime/worker-loop'
import { agentActions } from './agents/actions.ts'
import { agentSignInActions } from './agents/sign-in-actions.ts'
import { auditActions, keepAuditMonths } from './audit/actions.ts'
import { openBudget } from './budget/budget.ts'
import { startCleanup } from './cleanup.ts'
import { importActions } from './imports/actions.ts'
import { keyActions } from './keys/actions.ts'
import { startMeasures } from './measures.ts'
import { operatorActions } from './operators/actions.ts'
import { restoreActions } from './restores/actions.ts'
import { secretKeyActions } from './secret-key/actions.ts'
import { openDigestKeys } from './secret-key/kept-keys.ts'
import { sessionActions } from './sessions/actions.ts'
import { shopActions } from './shops/actions.ts'
import { startDeletions } from './shops/deletion.ts'
import { ImportTable, KeyTable, ShopTable } from './tables.ts'
import { viewActions } from './views/actions.ts'
import { usageActions } from './usage/actions.ts'
import { keepRequestDays } from './usage/request-queries.ts'

const KEEP_MS = 60_000

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
  const digestKeys = openDigestKeys(context.settings, db)
  const { apiKeys, operatorSecrets, agentTokens } = digestKeys
  const budget = openBudget(context, db, apiKeys, agentTokens)
  const keepKeys = () => digestKeys.refresh(new Date())
  let keeper: Worker | null = null
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
      ...keyActions(context, db, apiKeys),
      ...agentActions(context, db, agentTokens),
      ...agentSignInActions(context, db, agentTokens),
      ...operatorActions(context, db, operatorSecrets),
      ...sessionActions(context, db, operatorSecrets),
      ...viewActions(context, db),
      ...usageActions(context, db),
      ...importActions(context, db),
      ...restoreActions(context, db),
      ...auditActions(context, db),
      ...secretKeyActions(context.settings, db),
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
      await keepKeys() // Before the first call: it may come with a key whose digest is under a kept one.
      keeper = startPeriodic(KEEP_MS, keepKeys, (error) => context.log.warn({ error }, 'keys could not be kept'))
      cleanup = startCleanup(db, context.log)
      deletions = startDeletions(context, db)
      measures = await startMeasures(context, db)
    },
    async stopped() {
      await measures?.stop()
      await deletions?.stop()
      await keeper?.stop()
      await cleanup?.stop()
    },
  }
}
