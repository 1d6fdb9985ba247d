// Who calls the back office: tokens, sessions and sign-in links. docs/spec/operators-and-roles.md#sign-in
import { type KeyObject, randomBytes } from 'node:crypto'
import { auditHead } from '#audit/entry'
import type { ActionHandlers, RequestInfo, ServiceContext } from '#runtime/service'
import { noteKeyUse } from '#config/derive-key'
import type { IdentifyAnswer, SignIn } from '#contracts/actions/auth'
import { refuse } from '#contracts/errors'
import type { SignInInput } from '#contracts/input/operator'
import { limits } from '#contracts/limits'
import { toSingle } from '#paging/page'
import type { Database, Sql } from '#postgres/connect'
import { command, insertEntries, recordDone } from '../audit/queries.ts'
import { digestsOf, matchingDigest, outdatedOf } from '../keys/key.ts'
import { findOperator } from '../operators/actions.ts'
import { findByToken, findOperatorByEmail, noteSeen, noteTokenUse } from '../operators/queries.ts'
import { toOperator, toShopOfCall } from '../shape.ts'
import { findNamedShop } from '../shops/actions.ts'
import type { OperatorRow } from '../tables.ts'
import {
  deleteSession,
  deleteSessions,
  findBySession,
  insertCode,
  insertSession,
  listByCredentials,
  noteCall,
  takeCode,
} from './queries.ts'

const MINUTE_MS = 60_000

/** `token_id`: where a token signs in. */
type SigningIn = OperatorRow & { token_id: string | null }

export function sessionActions(context: ServiceContext, db: Database, secrets: KeyObject[]): ActionHandlers {
  const { consoleUrl, adminPort } = context.settings
  return {
    async 'operators.identify'({ params: { by, secret, shop }, locals: { now } }): Promise<IdentifyAnswer> {
      const digests = digestsOf(secret, secrets)
      const row =
        by === 'token' ? await findByToken(db, digests, now) : await findBySession(db, digests, sessionsSince(now), now)
      if (row === null) return { operator: null, shop: null }
      if (isOld(row.last_seen_at, now)) await noteSeen(db, row.id, now)
      const outdated = outdatedOf(digests, secrets)
      await (by === 'token' ? noteTokenUse(db, digests, outdated, now) : noteCall(db, digests, outdated, now))
      const used = secrets[matchingDigest(row.digest, digests)]
      if (used !== undefined) noteKeyUse(used)
      const named = shop === undefined ? null : await findNamedShop(db, shop)
      return { operator: toOperator(row), shop: named === null ? null : toShopOfCall(named) }
    },
    async 'operators.confirm'({ params, locals: { now } }) {
      const digests = params.secrets.map(({ secret }) => digestsOf(secret, secrets))
      const rows = await listByCredentials(db, digests.flat(), sessionsSince(now), now)
      const found = new Map(rows.map((row) => [`${row.by} ${row.digest.toString('hex')}`, row]))
      const operators = params.secrets.map(({ by }, at) => {
        const row = digests[at]?.map((digest) => found.get(`${by} ${digest.toString('hex')}`)).find(Boolean)
        return row === undefined ? null : toOperator(row)
      })
      return { operators }
    },
    async 'operators.create_link'({ params, locals }) {
      const { now } = locals
      const { id, disabled_at } = await findOperator(db, params.id)
      const work = async (tx: Sql) => {
        if (disabled_at !== null) throw refuse('conflict', 'This operator is disabled.')
        const code = randomBytes(32).toString('base64url')
        await insertCode(tx, newestDigest(code), id, now)
        const expiresAt = new Date(now.getTime() + limits.signInCodeMinutes * MINUTE_MS).toISOString()
        const url = `${consoleUrl ?? `http://127.0.0.1:${adminPort}`}/#code=${code}`
        const answer = toSingle(JSON.stringify({ object: 'sign_in_link', url, code, expiresAt }))
        return { before: null, after: null, answer }
      }
      const scope = { keysOf: id, objectId: id, shopId: null }
      return db.transaction((tx) => command(tx, locals, () => work(tx), scope))
    },
    async 'operators.end_sessions'({ params, locals }) {
      const row = await findOperator(db, params.id)
      const work = async (tx: Sql) => {
        await deleteSessions(tx, row.id)
        return { before: toOperator(row), after: toOperator(row) }
      }
      return db.transaction((tx) => command(tx, locals, () => work(tx), { keysOf: row.id, shopId: null }))
    },
    async 'sessions.create'({ params, locals }): Promise<SignIn> {
      const { now } = locals
      return db.transaction(async (tx) => {
        const row =
          params.email === undefined ? await signedIn(tx, params.sign_in ?? {}, now) : await verified(tx, params.email)
        const secret = randomBytes(32).toString('base64url')
        await insertSession(tx, newestDigest(secret), row, now)
        await noteSeen(tx, row.id, now)
        await recordSignIn(tx, locals, row)
        return { secret, operator: toOperator({ ...row, last_seen_at: now }) }
      })
    },
    async 'sessions.end'({ params: { secret }, locals }) {
      await db.transaction(async (tx) => {
        await deleteSession(tx, digestsOf(secret, secrets))
        await recordDone(tx, locals, { before: null, after: null }, { shopId: null })
      })
      return null
    },
  }

  async function signedIn(tx: Sql, { token, code }: SignInInput, now: Date): Promise<SigningIn> {
    const digests = digestsOf(token ?? code ?? '', secrets)
    const since = new Date(now.getTime() - limits.signInCodeMinutes * MINUTE_MS)
    const row = token === undefined ? await takeCode(tx, digests, since) : await findByToken(tx, digests, now)
    if (row !== null) return { token_id: null, ...row }
    const words =
      token === undefined
        ? 'This sign-in link was used already or is too old. Ask for a new one.'
        : 'No operator has this token, or it is no longer in force.'
    throw refuse('unauthorized', words)
  }

  async function verified(tx: Sql, email: string): Promise<SigningIn> {
    const row = await findOperatorByEmail(tx, email)
    if (row !== null) return { ...row, token_id: null }
    throw refuse('forbidden', `No operator has the email ${email}. An owner can add one under Operators.`)
  }

  function newestDigest(secret: string): Buffer {
    const [digest] = digestsOf(secret, secrets)
    if (digest === undefined) throw new Error('A secret needs a key to be stored under.')
    return digest
  }
}

// The operator is known only now, so no gateway has signed who it is.
async function recordSignIn(tx: Sql, { meta, now, requestId }: RequestInfo, { id, name }: OperatorRow): Promise<void> {
  if (meta.audit === undefined) return
  const { via = 'session', ...call } = meta.audit
  const about = {
    request_id: requestId,
    shop_id: null,
    object_id: null,
    outcome: 'done',
    code: null,
    changes: '{}',
  } as const
  await insertEntries(tx, [{ ...auditHead(call, { id, name, via }, now), ...about }])
}

function sessionsSince(now: Date): { begunAfter: Date; calledAfter: Date } {
  const before = (minutes: number) => new Date(now.getTime() - minutes * MINUTE_MS)
  return { begunAfter: before(limits.sessionHours * 60), calledAfter: before(limits.sessionIdleMinutes) }
}

function isOld(at: Date | null, now: Date): boolean {
  return at === null || now.getTime() - at.getTime() > MINUTE_MS
}
