// The actions of API keys in the back office. docs/spec/back-office.md#api-keys
import { type KeyObject, randomUUID } from 'node:crypto'
import type { ActionHandlers, ServiceContext } from '#runtime/service'
import { deriveKeys } from '#config/derive-key'
import { isUuid } from '#contracts/actions/params'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { filterText, openPage, toPage, toSingle } from '#paging/page'
import type { Database } from '#postgres/connect'
import { command } from '../audit/queries.ts'
import { toApiKey } from '../shape.ts'
import { noShop } from '../shops/actions.ts'
import { lockShop } from '../shops/queries.ts'
import type { KeyRow } from '../tables.ts'
import { digestsOf, mintKey, shownParts } from './key.ts'
import { countLiveKeys, endRolledKey, findKey, insertKey, listKeys, revokeKey } from './queries.ts'

export function keyActions(context: ServiceContext, db: Database, peppers: KeyObject[]): ActionHandlers {
  const cursorKeys = deriveKeys(context.settings, 'cursor')
  return {
    async 'keys.create'({ params, locals }) {
      const input = params.key
      const { now } = locals
      const { shopId } = locals.caller
      refusePast(input.expiresAt, now)
      return db.transaction((tx) =>
        command(tx, locals, async () => {
          if ((await lockShop(tx, shopId)) === null) throw noShop()
          if ((await countLiveKeys(tx, shopId, now)) >= limits.liveKeysPerShop) {
            const most = limits.liveKeysPerShop
            throw refuse('limit_reached', `A shop may hold at most ${most} live keys. Revoke one first.`)
          }
          const secret = mintKey()
          const { name, access, expiresAt = null, allowedSources = null, resources = null } = input
          const limited = { expires_at: expiresAt, allowed_sources: allowedSources, resources }
          const row = newKey(shopId, { name, access, ...limited }, secret, peppers, now)
          await insertKey(tx, shopId, row)
          return { before: null, after: toApiKey(row), answer: withSecret(row, secret) }
        }),
      )
    },
    async 'keys.list'({ params, locals }) {
      const { shopId } = locals.caller
      const page = openPage(params, { keys: cursorKeys, resource: 'keys', shopId, filter: filterText({}) })
      const rows = await listKeys(db, shopId, page)
      return toPage(
        rows.map((row) => ({ ...row, document: JSON.stringify(toApiKey(row)) })),
        page,
      )
    },
    async 'keys.roll'({ params, locals }) {
      const { now, caller } = locals
      const { overlapSeconds } = params.roll
      const { shopId } = caller
      const found = isUuid(params.id) ? await findKey(db, shopId, params.id) : null
      if (found === null) throw noKey()
      const answer = await db.transaction((tx) =>
        command(tx, locals, async () => {
          if ((await lockShop(tx, shopId)) === null) throw noShop()
          const old = (await findKey(tx, shopId, found.id)) ?? found
          refuseEnded(old, now)
          const secret = mintKey()
          const row = newKey(shopId, old, secret, peppers, now)
          await insertKey(tx, shopId, row)
          await endRolledKey(tx, shopId, old.id, new Date(now.getTime() + overlapSeconds * 1_000), now)
          const ended = (await findKey(tx, shopId, old.id)) ?? old
          const after = { ...toApiKey(ended), replacedBy: row.id }
          return { before: toApiKey(old), after, answer: withSecret(row, secret) }
        }),
      )
      context.broadcast('key.changed', { key_id: found.id })
      return answer
    },
    async 'keys.revoke'({ params: { id }, locals }) {
      const { caller, now } = locals
      const answer = await db.transaction((tx) =>
        command(tx, locals, async () => {
          const row = isUuid(id) ? await revokeKey(tx, caller.shopId, id, now) : null
          if (row === null) throw noKey()
          const before = row.revoked_at?.getTime() === now.getTime() ? { ...row, revoked_at: null } : row
          return { before: toApiKey(before), after: toApiKey(row) }
        }),
      )
      context.broadcast('key.changed', { key_id: id.toLowerCase() })
      return answer
    },
  }
}

function withSecret(row: KeyRow, secret: string): Buffer {
  return toSingle(JSON.stringify({ ...toApiKey(row), secret }))
}

type KeyFacts = Pick<KeyRow, 'name' | 'access' | 'expires_at' | 'allowed_sources' | 'resources'>

function newKey(shopId: string, facts: KeyFacts, secret: string, peppers: KeyObject[], now: Date): KeyRow {
  const [digest] = digestsOf(secret, peppers)
  if (digest === undefined) throw new Error('A key needs a pepper.')
  const { prefix, lastFour } = shownParts(secret)
  const { name, access, expires_at, allowed_sources, resources } = facts
  return {
    id: randomUUID(),
    shop_id: shopId,
    name,
    access,
    digest,
    prefix,
    last_four: lastFour,
    last_used_at: null,
    created_at: now,
    revoked_at: null,
    expires_at,
    allowed_sources,
    resources,
    rolled_at: null,
  }
}

function refusePast(expiresAt: Date | null | undefined, now: Date): void {
  if (!expiresAt || expiresAt > now) return
  throw refuse('invalid_request', 'expiresAt must lie in the future.', { field: 'expiresAt' })
}

function refuseEnded({ revoked_at, expires_at, rolled_at }: KeyRow, now: Date): void {
  if (revoked_at !== null) throw refuse('conflict', 'This key is revoked. Create another one.')
  if (rolled_at !== null) throw refuse('conflict', 'Another key has taken the place of this one already.')
  if (expires_at !== null && expires_at <= now) throw refuse('conflict', 'This key has ended. Create another one.')
}

function noKey() {
  return refuse('not_found', 'No key with that id in this shop.')
}
