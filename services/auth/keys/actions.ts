// The actions of API keys in the back office. docs/spec/back-office.md#api-keys
import { type KeyObject, randomUUID } from 'node:crypto'
import type { ActionHandlers, ServiceContext } from '#runtime/service'
import { deriveKeys } from '#config/derive-key'
import { isUuid } from '#contracts/actions/params'
import { refuse } from '#contracts/errors'
import { keyInput } from '#contracts/input/shop'
import { limits } from '#contracts/limits'
import { filterText, openPage, toPage, toSingle } from '#paging/page'
import type { Database } from '#postgres/connect'
import { once } from '#postgres/idempotency'
import { openParams } from '#schema/open'
import { toApiKey } from '../shape.ts'
import { noShop } from '../shops/actions.ts'
import { lockShop } from '../shops/queries.ts'
import type { KeyRow } from '../tables.ts'
import { digestsOf, mintKey, shownParts } from './key.ts'
import { countLiveKeys, insertKey, listKeys, revokeKey } from './queries.ts'

export function keyActions(context: ServiceContext, db: Database): ActionHandlers {
  const cursorKeys = deriveKeys(context.settings, 'cursor')
  const peppers = deriveKeys(context.settings, 'api-key')
  return {
    async 'keys.create'({ params, locals }) {
      const input = openParams(keyInput, params.key)
      const { idempotency, now } = locals
      const { shopId } = locals.caller
      return db.transaction((tx) =>
        once(tx, shopId, idempotency, now, async () => {
          if ((await lockShop(tx, shopId)) === null) throw noShop()
          if ((await countLiveKeys(tx, shopId)) >= limits.liveKeysPerShop) {
            const most = limits.liveKeysPerShop
            throw refuse('limit_reached', `A shop may hold at most ${most} live keys. Revoke one first.`)
          }
          const secret = mintKey()
          const row = newKey(shopId, input, secret, peppers, now)
          await insertKey(tx, shopId, row)
          return toSingle(JSON.stringify({ ...toApiKey(row), secret }))
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
    async 'keys.revoke'({ params: { id }, locals }) {
      const row = isUuid(id) ? await revokeKey(db, locals.caller.shopId, id, locals.now) : null
      if (row === null) throw refuse('not_found', 'No key with that id in this shop.')
      context.broadcast('key.changed', { key_id: row.id })
      return toSingle(JSON.stringify(toApiKey(row)))
    },
  }
}

function newKey(
  shopId: string,
  { name, access }: Pick<KeyRow, 'name' | 'access'>,
  secret: string,
  peppers: KeyObject[],
  now: Date,
): KeyRow {
  const [digest] = digestsOf(secret, peppers)
  if (digest === undefined) throw new Error('A key needs a pepper.')
  const { prefix, lastFour } = shownParts(secret)
  return {
    ...{ id: randomUUID(), shop_id: shopId, name, access, digest, prefix, last_four: lastFour },
    ...{ last_used_at: null, created_at: now, revoked_at: null },
  }
}
