// One service running alone on a database of its own, for tests of its actions. The test answers the calls that the service makes of
// other services.
import type { ActionHandlers, Call, ServiceDefinition } from '#runtime/service'
import { randomUUID } from 'node:crypto'
import { readConfig } from '#config/config'
import { openLog } from '#telemetry/log'
import { openClaims } from '#runtime/claims'
import { startProcess } from '#runtime/process'
import { claimantOf } from '#contracts/calls'
import type { Caller, OperatorCaller } from '#contracts/caller'
import { connect, type Database } from '#postgres/connect'
import { createDatabase } from '../database.ts'

/** `url` names its database. `claimOf`: a caller as a gateway signs it. */
export type OneService = {
  call: Call
  claimOf(caller: Caller): string
  db: Database
  url: string
  close(): Promise<void>
}

/** The service in this process; `db` reaches its schema beside it. `outside` answers what it asks of others. */
export async function openService(
  service: ServiceDefinition,
  outside: ActionHandlers = {},
  env: Record<string, string> = {},
): Promise<OneService> {
  if (service.storage === null) throw new Error(`The service ${service.name} keeps no rows.`)
  const database = await createDatabase()
  const config = readConfig(
    { OPS_PORT: '0', PORT: '0', ADMIN_PORT: '0', DATABASE_URL: database.url, ...env },
    'embedded',
  )
  const settings = { ...config, secretKey: 'a secret of at least 32 characters.' }
  const claims = openClaims(settings)
  const running = await startProcess({
    services: [{ ...service, dependencies: [] }, otherServices(outside)],
    settings,
    log: openLog('silent', service.name),
  })
  const onError = () => undefined // A dropped database breaks idle connections; that is the end of the test.
  const role = `storefront_${service.storage.schema}`
  const db = await connect(service.storage, {
    url: database.url,
    role,
    connectionsMax: 2,
    statementTimeoutMs: 60_000,
    onError,
  })
  return {
    call: (name, params, { timeoutMs, caller, operator, ...meta } = {}) => {
      const by = operator ?? (claimantOf(name) === 'operator' ? rootOperator : undefined)
      if (caller !== undefined || by !== undefined) meta.claim ??= claims.sign({ caller, operator: by })
      const options = { meta, timeout: timeoutMs ?? 30_000 }
      return running.broker.call(name, params as object, options)
    },
    claimOf: (caller) => claims.sign({ caller }),
    db,
    url: database.url,
    async close() {
      await running.stop()
      await db.close()
      await database.drop()
    },
  }
}

function otherServices(actions: ActionHandlers): ServiceDefinition {
  return { name: 'outside', storage: null, needsAdminToken: false, dependencies: [], schema: () => ({ actions }) }
}

/** The operator of calls that only the back office makes, where a test names none. */
export const rootOperator: OperatorCaller = {
  id: '00000000-0000-0000-0000-000000000000',
  name: 'admin token',
  role: 'owner',
  shops: null,
  via: 'admin_token',
}

/** A caller that acts for a shop of its own. */
export function makeCaller(facts: Partial<Caller> = {}): Caller {
  return {
    shopId: randomUUID(),
    handle: 'shop',
    currency: 'GBP',
    timeZone: 'Europe/London',
    country: 'GB',
    keyId: null,
    canWrite: true,
    ...facts,
  }
}
