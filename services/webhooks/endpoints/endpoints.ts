// Owns what a seller does with endpoints: create, change, delete, rotate the secret. states-and-events.md 3 and 5.
// Every command locks the shop's turn: five per shop are exactly five, and no attempt is claimed between a change and its
// effect. A URL is checked when it is saved and again before every attempt.
import { type KeyObject, randomUUID } from 'node:crypto'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { isUuid } from '#contracts/actions/params'
import type { EndpointChange, EndpointInput } from '#contracts/input/webhook'
import type { Database, Sql } from '#postgres/connect'
import { leaveLine } from '../delivery/queries.ts'
import {
  countEndpoints,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  findEndpoint,
  insertEndpoint,
  lockSealedOtherwise,
  moveToLine,
  rotateSecret,
  saveSecrets,
  updateEndpoint,
} from './queries.ts'
import type { Wire } from '../request/post.ts'
import { callTurns, holdTurn } from '../delivery/queue-queries.ts'
import { addressesOf } from '../request/resolve.ts'
import { keyIdOf, lastFourOf, mintSecret, openSecret, sealSecret, shownSecret } from './secret.ts'
import type { EndpointRow } from '../tables.ts'
import { checkUrl } from './url.ts'

const RESOLVE_MS = 1_500

/** The URL in its normal form. Refuses invalid_request; also where its name leads to a private address today. */
export async function acceptUrl(text: string, { allowPrivate, resolve }: Wire): Promise<string> {
  const checked = checkUrl(text, allowPrivate)
  if ('problem' in checked) throw refuse('invalid_request', `url ${checked.problem}.`, { field: 'url' })
  if (allowPrivate) return checked.url.href
  const found = await addressesOf(checked.url, allowPrivate, resolve, AbortSignal.timeout(RESOLVE_MS))
  // A name that does not resolve yet may be on its way.
  if ('error' in found && found.error === 'blocked_address') {
    throw refuse('invalid_request', 'url must not lead to a private, loopback or link-local address.', { field: 'url' })
  }
  return checked.url.href
}

/** Writes a new endpoint; gives it with its secret, which nobody sees again. Refuses limit_reached. */
export async function createEndpoint(
  tx: Sql,
  shopId: string,
  input: EndpointInput,
  url: string,
  keys: KeyObject[],
  now: Date,
): Promise<{ row: EndpointRow; secret: string }> {
  await holdTurn(tx, shopId)
  const most = limits.webhookEndpointsPerShop
  if ((await countEndpoints(tx, shopId)) >= most) {
    throw refuse('limit_reached', `A shop may hold at most ${most} webhook endpoints. Delete one first.`)
  }
  const id = randomUUID()
  const secret = mintSecret()
  const { sealed, keyId } = sealSecret(secret, id, keys)
  const isOff = input.enabled === false
  const row: EndpointRow = {
    ...{ id, shop_id: shopId, line_id: randomUUID(), url },
    ...{ events: input.events ?? ['*'], description: input.description ?? null },
    ...{ disabled_reason: isOff ? 'manual' : null, disabled_at: isOff ? now : null },
    ...{ failures: 0, failing_since: null, last_error: null, paused_until: null },
    ...{ secret: sealed, secret_key_id: keyId, secret_last_four: lastFourOf(secret) },
    ...{ old_secret: null, old_secret_key_id: null, old_secret_until: null, created_at: now, updated_at: now },
  }
  await insertEndpoint(tx, shopId, row)
  return { row, secret: shownSecret(secret) }
}

/** Changes it; a new URL is for the next attempt, also of old events. `url` is the accepted one, or undefined. */
export async function changeEndpoint(
  tx: Sql,
  shopId: string,
  id: string,
  change: EndpointChange,
  url: string | undefined,
  now: Date,
): Promise<EndpointRow> {
  await callTurns(tx, [shopId])
  const row = await endpointOf(tx, shopId, id)
  const next = {
    ...row,
    url: url ?? row.url,
    events: change.events ?? row.events,
    description: change.description === undefined ? row.description : change.description,
  }
  const isSame = next.url === row.url && next.description === row.description && same(next.events, row.events)
  if (!isSame) await updateEndpoint(tx, shopId, { ...next, updated_at: now })
  if (change.enabled === false) await disableEndpoint(tx, shopId, row.id, 'manual')
  if (change.enabled === true && row.disabled_at !== null) {
    if (change.held === 'skip') {
      await moveToLine(tx, shopId, row.id, randomUUID())
      await leaveLine(tx, shopId, row.id, row.line_id)
    }
    await enableEndpoint(tx, shopId, row.id)
  }
  return endpointOf(tx, shopId, row.id)
}

/** Takes the endpoint away; gives what it was. Its open deliveries are skipped. */
export async function removeEndpoint(tx: Sql, shopId: string, id: string): Promise<EndpointRow> {
  await callTurns(tx, [shopId])
  const row = await endpointOf(tx, shopId, id)
  await deleteEndpoint(tx, shopId, row.id)
  await leaveLine(tx, shopId, row.id, row.line_id)
  return row
}

/** Gives the endpoint a new secret, which signs at once; the one before goes on for so long. */
export async function newSecret(tx: Sql, shopId: string, id: string, overlapS: number, keys: KeyObject[]) {
  await callTurns(tx, [shopId])
  const row = await endpointOf(tx, shopId, id)
  const secret = mintSecret()
  await rotateSecret(
    tx,
    shopId,
    row.id,
    { ...sealSecret(secret, row.id, keys), lastFour: lastFourOf(secret) },
    overlapS,
  )
  return { row: await endpointOf(tx, shopId, row.id), secret: shownSecret(secret) }
}

/** The endpoint. Refuses not_found. */
export async function endpointOf(db: Sql, shopId: string, id: string): Promise<EndpointRow> {
  const row = isUuid(id) ? await findEndpoint(db, shopId, id) : null
  if (row === null) throw refuse('not_found', 'No webhook endpoint with that id in this shop.')
  return row
}

/** Seals every secret under the present SECRET_KEY, so that the one before can go. */
export async function sealAnew(db: Database, keys: KeyObject[]): Promise<void> {
  const [key] = keys
  if (key === undefined) return
  await db.transaction(async (tx) => {
    for (const row of await lockSealedOtherwise(tx, keyIdOf(key))) {
      const anew = (sealed: Buffer, keyId: string) =>
        sealSecret(openSecret({ sealed, keyId }, row.id, keys), row.id, keys)
      const secret = anew(row.secret, row.secret_key_id)
      const { old_secret, old_secret_key_id } = row
      const old = old_secret === null || old_secret_key_id === null ? null : anew(old_secret, old_secret_key_id)
      await saveSecrets(tx, row.shop_id, {
        ...row,
        ...{ secret: secret.sealed, secret_key_id: secret.keyId },
        ...{ old_secret: old?.sealed ?? null, old_secret_key_id: old?.keyId ?? null },
      })
    }
  })
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index])
}
