// The actions of operators and their tokens. docs/spec/operators-and-roles.md#operators
import { type KeyObject, randomUUID } from 'node:crypto'
import { NO_SHOP } from '#audit/command'
import type { ActionHandlers, RequestInfo, ServiceContext } from '#runtime/service'
import { deriveKeys } from '#config/derive-key'
import { isUuid } from '#contracts/actions/params'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { filterText, openPage, toPage, toSingle } from '#paging/page'
import { breaks, type Database, type Sql } from '#postgres/connect'
import { endGrantsOfOperator } from '../agents/queries.ts'
import { command } from '../audit/queries.ts'
import { digestsOf, mintKey, shownParts } from '../keys/key.ts'
import { deleteSessions } from '../sessions/queries.ts'
import { toOperator, toOperatorToken } from '../shape.ts'
import type { OperatorRow, OperatorTokenRow } from '../tables.ts'
import { changedOperator, isLastOwner, newOperator } from './operator.ts'
import * as queries from './queries.ts'

const TOKEN_PREFIX = 'sfo_'

export function operatorActions(context: ServiceContext, db: Database, secrets: KeyObject[]): ActionHandlers {
  const cursorKeys = deriveKeys(context.settings, 'cursor')
  return {
    async 'operators.create'({ params, locals }) {
      const row = newOperator(params.operator, randomUUID(), locals.now)
      const scope = { keysOf: NO_SHOP, shopId: null }
      const work = async (tx: Sql) => {
        await checkShops(tx, row)
        await queries.insertOperator(tx, row)
        return { before: null, after: toOperator(row) }
      }
      return uniqueEmail(() => db.transaction((tx) => command(tx, locals, () => work(tx), scope)))
    },
    async 'operators.list'({ params: { email, limit, cursor } }) {
      const scope = { keys: cursorKeys, resource: 'operators', shopId: NO_SHOP, filter: filterText({ email }) }
      const page = openPage({ limit, cursor }, scope)
      const rows = await queries.listOperators(db, email, page)
      return toPage(
        rows.map((row) => ({ ...row, document: JSON.stringify(toOperator(row)) })),
        page,
      )
    },
    async 'operators.get'({ params: { id } }) {
      return shown(await findOperator(db, id))
    },
    async 'operators.change'({ params, locals }) {
      return saved(params.id, locals, (row) => changedOperator(row, params.change))
    },
    async 'operators.disable'({ params, locals }) {
      return saved(params.id, locals, (row) => ({ ...row, disabled_at: row.disabled_at ?? locals.now }))
    },
    async 'operator_tokens.create'({ params, locals }) {
      const { now } = locals
      const { id: operatorId } = await findOperator(db, params.id)
      const { name, expiresAt = null } = params.operator_token
      if (expiresAt !== null && expiresAt <= now)
        throw refuse('invalid_request', 'expiresAt must lie in the future.', { field: 'expiresAt' })
      const work = async (tx: Sql) => {
        const locked = await queries.lockOperatorAndOwners(tx, operatorId)
        const own = locked.find((row) => row.id === operatorId)
        if (own?.disabled_at !== null) throw refuse('conflict', 'This operator is disabled.')
        if ((await queries.countLiveTokens(tx, operatorId, now)) >= limits.liveTokensPerOperator) {
          const most = limits.liveTokensPerOperator
          throw refuse('limit_reached', `An operator may hold at most ${most} live tokens. Revoke one first.`)
        }
        const secret = mintKey(TOKEN_PREFIX)
        const row = newToken(operatorId, name, expiresAt, secret, now)
        await queries.insertToken(tx, row)
        const shown = toOperatorToken(row)
        const answer = toSingle(JSON.stringify({ ...shown, secret }))
        return { before: null, after: { ...shown, operatorId }, answer } // The entry says whose token it is.
      }
      return db.transaction((tx) => command(tx, locals, () => work(tx), { keysOf: operatorId, shopId: null }))
    },
    async 'operator_tokens.list'({ params: { id, ...params } }) {
      const { id: operatorId } = await findOperator(db, id)
      const page = openPage(params, { keys: cursorKeys, resource: 'operator_tokens', shopId: operatorId, filter: '' })
      const rows = await queries.listTokens(db, operatorId, page)
      return toPage(
        rows.map((row) => ({ ...row, document: JSON.stringify(toOperatorToken(row)) })),
        page,
      )
    },
    async 'operator_tokens.revoke'({ params: { id, token }, locals }) {
      const { now } = locals
      const { id: operatorId } = await findOperator(db, id)
      const work = async (tx: Sql) => {
        const row = isUuid(token) ? await queries.revokeToken(tx, operatorId, token, now) : null
        if (row === null) throw refuse('not_found', 'No token with that id for this operator.')
        const wasLive = row.revoked_at?.getTime() === now.getTime()
        const before = wasLive ? { ...row, revoked_at: null } : row
        return { before: toOperatorToken(before), after: toOperatorToken(row) }
      }
      return db.transaction((tx) => command(tx, locals, () => work(tx), { keysOf: operatorId, shopId: null }))
    },
  }

  function newToken(
    operatorId: string,
    name: string,
    expiresAt: Date | null,
    secret: string,
    now: Date,
  ): OperatorTokenRow {
    const [digest] = digestsOf(secret, secrets)
    if (digest === undefined) throw new Error('A token needs a secret to be stored under.')
    const { prefix, lastFour } = shownParts(secret)
    return {
      id: randomUUID(),
      operator_id: operatorId,
      name,
      digest,
      prefix,
      last_four: lastFour,
      expires_at: expiresAt,
      created_at: now,
      last_used_at: null,
      revoked_at: null,
    }
  }

  // Saves the changed row. Refuses conflict where it would leave the platform without an owner.
  async function saved(id: string, request: RequestInfo, change: (row: OperatorRow) => OperatorRow): Promise<Buffer> {
    const { id: operatorId } = await findOperator(db, id)
    let ended: string[] = []
    const work = async (tx: Sql) => {
      const locked = await queries.lockOperatorAndOwners(tx, operatorId)
      const before = locked.find((row) => row.id === operatorId)
      if (before === undefined) throw noOperator()
      const after = change(before)
      if (isLastOwner(before, locked) && (after.role !== 'owner' || after.disabled_at !== null)) {
        throw refuse('conflict', 'This is the last owner. Make another operator an owner first.')
      }
      await checkShops(tx, after)
      await queries.saveOperator(tx, after)
      if (after.disabled_at !== null) await deleteSessions(tx, operatorId)
      ended = await endGrantsOfOperator(tx, after, request.now)
      return { before: toOperator(before), after: toOperator(after) }
    }
    const scope = { keysOf: operatorId, shopId: null }
    const answer = await uniqueEmail(() => db.transaction((tx) => command(tx, request, () => work(tx), scope)))
    for (const grantId of ended) context.broadcast('key.changed', { key_id: grantId })
    return answer
  }

  async function uniqueEmail(work: () => Promise<Buffer>): Promise<Buffer> {
    try {
      return await work()
    } catch (error) {
      if (!breaks(error, 'operators_email')) throw error
      throw refuse('conflict', 'Another operator has this email.', { field: 'email' })
    }
  }
}

/** Refuses not_found. */
export async function findOperator(db: Sql, id: string): Promise<OperatorRow> {
  const row = isUuid(id) ? await queries.findOperator(db, id) : null
  if (row === null) throw noOperator()
  return row
}

function noOperator() {
  return refuse('not_found', 'No operator with that id.')
}

async function checkShops(tx: Sql, { shops }: OperatorRow): Promise<void> {
  if (shops === null) return
  const [unknown] = await queries.unknownShops(tx, shops)
  if (unknown !== undefined)
    throw refuse('invalid_request', `shops: no shop has the id ${unknown}.`, { field: 'shops' })
}

function shown(row: OperatorRow): Buffer {
  return toSingle(JSON.stringify(toOperator(row)))
}
