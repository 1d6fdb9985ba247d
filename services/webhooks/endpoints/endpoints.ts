// Creates, changes and deletes endpoints and rotates their secrets (docs/spec/webhooks.md#endpoints, #rotation).
// Every change locks the schedule of the shop: the limit of five endpoints is exact, and no delivery is claimed between a
// change and its effect.
import { type KeyObject, randomUUID } from 'node:crypto'
import { isOutdated, keyIdOf } from '#config/derive-key'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { isUuid } from '#contracts/actions/params'
import type { EndpointChange, EndpointInput } from '#contracts/input/webhook'
import { checkUrl } from '#contracts/webhook-url'
import type { Database, Sql } from '#postgres/connect'
import { addressesOf } from '#webhook-request/address'
import { type HttpOptions, mayBePrivate } from '#webhook-request/post'
import { formatSecret } from '#webhook-request/signature'
import { abandonQueue } from '../delivery/sweep-queries.ts'
import {
  countEndpoints,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  findEndpoint,
  insertEndpoint,
  lockOutdatedSecrets,
  assignQueue,
  rotateSecret,
  saveSecrets,
  updateEndpoint,
} from './queries.ts'
import { createSchedule, scheduleNow } from '../delivery/queue-queries.ts'
import type { EndpointRow } from '../tables.ts'
import { createSecret, lastFourOf, openSecret, sealSecret } from './secrets.ts'

const RESOLVE_MS = 1_500

/** Returns the URL in its normal form. Refuses invalid_request, also where the host resolves to an address that is not public. */
export async function validateUrl(text: string, http: HttpOptions): Promise<string> {
  const allowPrivate = mayBePrivate(text, http)
  const checked = checkUrl(text, allowPrivate)
  if ('problem' in checked) throw refuse('invalid_request', `url ${checked.problem}.`, { field: 'url' })
  if (allowPrivate) return checked.url.href
  const found = await addressesOf(checked.url, allowPrivate, http.resolve, AbortSignal.timeout(RESOLVE_MS))
  // A name that does not resolve is accepted: it may be created after the endpoint.
  if ('error' in found && found.error === 'blocked_address') {
    throw refuse('invalid_request', 'url must not lead to a private, loopback or link-local address.', { field: 'url' })
  }
  return checked.url.href
}

/** Inserts an endpoint; returns it with its secret, which is shown only here. Refuses limit_reached. */
export async function createEndpoint(
  tx: Sql,
  shopId: string,
  input: EndpointInput,
  url: string,
  keys: KeyObject[],
  now: Date,
): Promise<{ row: EndpointRow; secret: string }> {
  await createSchedule(tx, shopId)
  const most = limits.webhookEndpointsPerShop
  if ((await countEndpoints(tx, shopId)) >= most) {
    throw refuse('limit_reached', `A shop may hold at most ${most} webhook endpoints. Delete one first.`)
  }
  const id = randomUUID()
  const secret = createSecret()
  const { sealed, keyId } = sealSecret(secret, id, keys)
  const isOff = input.enabled === false
  const row: EndpointRow = {
    id,
    shop_id: shopId,
    queue_id: randomUUID(),
    url,
    events: input.events ?? ['*'],
    description: input.description ?? null,
    disabled_reason: isOff ? 'manual' : null,
    disabled_at: isOff ? now : null,
    failures: 0,
    failing_since: null,
    last_error: null,
    paused_until: null,
    secret: sealed,
    secret_key_id: keyId,
    secret_last_four: lastFourOf(secret),
    old_secret: null,
    old_secret_key_id: null,
    old_secret_until: null,
    created_at: now,
    updated_at: now,
  }
  await insertEndpoint(tx, shopId, row)
  return { row, secret: formatSecret(secret) }
}

/** Changes an endpoint; returns it before and after. `url` is the validated new URL, or undefined. Refuses not_found. */
export async function changeEndpoint(
  tx: Sql,
  shopId: string,
  id: string,
  change: EndpointChange,
  url: string | undefined,
  now: Date,
): Promise<{ before: EndpointRow; after: EndpointRow }> {
  await scheduleNow(tx, [shopId])
  const row = await requireEndpoint(tx, shopId, id)
  const next = {
    ...row,
    url: url ?? row.url,
    events: change.events ?? row.events,
    description: change.description === undefined ? row.description : change.description,
  }
  const isSame = next.url === row.url && next.description === row.description && isSameList(next.events, row.events)
  if (!isSame) await updateEndpoint(tx, shopId, { ...next, updated_at: now })
  if (change.enabled === false) await disableEndpoint(tx, shopId, row.id, 'manual')
  if (change.enabled === true && row.disabled_at !== null) {
    if (change.held === 'skip') {
      await assignQueue(tx, shopId, row.id, randomUUID())
      await abandonQueue(tx, shopId, row.id, row.queue_id)
    }
    await enableEndpoint(tx, shopId, row.id)
  }
  return { before: row, after: await requireEndpoint(tx, shopId, row.id) }
}

/** Deletes the endpoint and abandons its queue; returns the deleted row. Refuses not_found. */
export async function removeEndpoint(tx: Sql, shopId: string, id: string): Promise<EndpointRow> {
  await scheduleNow(tx, [shopId])
  const row = await requireEndpoint(tx, shopId, id)
  await deleteEndpoint(tx, shopId, row.id)
  await abandonQueue(tx, shopId, row.id, row.queue_id)
  return row
}

/**
 * Rotates the secret; the old one signs for another `overlapS` seconds. Returns the endpoint before and after, and its new secret.
 * Refuses not_found.
 */
export async function replaceSecret(tx: Sql, shopId: string, id: string, overlapS: number, keys: KeyObject[]) {
  await scheduleNow(tx, [shopId])
  const row = await requireEndpoint(tx, shopId, id)
  const secret = createSecret()
  await rotateSecret(
    tx,
    shopId,
    row.id,
    { ...sealSecret(secret, row.id, keys), lastFour: lastFourOf(secret) },
    overlapS,
  )
  return { before: row, row: await requireEndpoint(tx, shopId, row.id), secret: formatSecret(secret) }
}

/** Returns the endpoint. Refuses not_found. */
export async function requireEndpoint(db: Sql, shopId: string, id: string): Promise<EndpointRow> {
  const row = isUuid(id) ? await findEndpoint(db, shopId, id) : null
  if (row === null) throw noEndpoint()
  return row
}

export function noEndpoint() {
  return refuse('not_found', 'No webhook endpoint with that id in this shop.')
}

/**
 * Encrypts every secret with the current SECRET_KEY, so that the previous one can be removed; one under the next key stays as it is.
 * Throws where a secret does not open.
 */
export async function resealSecrets(db: Database, keys: KeyObject[]): Promise<void> {
  const lasting = keys.filter((key) => !isOutdated(key)).map(keyIdOf)
  await db.transaction(async (tx) => {
    for (const row of await lockOutdatedSecrets(tx, lasting)) {
      const reseal = (sealed: Buffer, keyId: string) =>
        sealSecret(openSecret({ sealed, keyId }, row.id, keys), row.id, keys)
      const secret = reseal(row.secret, row.secret_key_id)
      const { old_secret, old_secret_key_id } = row
      const old = old_secret === null || old_secret_key_id === null ? null : reseal(old_secret, old_secret_key_id)
      await saveSecrets(tx, row.shop_id, {
        ...row,
        secret: secret.sealed,
        secret_key_id: secret.keyId,
        old_secret: old?.sealed ?? null,
        old_secret_key_id: old?.keyId ?? null,
      })
    }
  })
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index])
}
