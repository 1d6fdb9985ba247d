// Idempotency keys: a command that is sent again with the same Idempotency-Key and body gets the first answer and does nothing.
// docs/spec/back-office.md#idempotency-key
//
// The row is written in the command's own transaction, by one statement that finds an earlier row or claims the key. Of two commands at
// once the second waits at the unique key until the first commits and then has its answer; when the first rolls back, the second does the
// work. So a crash leaves both the change and the answer, or neither. Each schema that takes commands has the table (see
// `idempotencyTable`). An answer that depends on work after the transaction is pending until then: pending-answer.ts.
//
// An Idempotency-Key can be guessed, and a kept answer may hold a secret such as a new API key. So the name of a row is a keyed digest of
// the Idempotency-Key, and the answer is encrypted; both secrets are derived from SECRET_KEY. While it is rotated, an answer has
// a row under each accepted secret, because some replicas know only one of them.
import { createHmac, type KeyObject } from 'node:crypto'
import { deriveKeys, newestFirst, noteKeyUse, type Secrets } from '#config/derive-key'
import { seal, unseal } from '#config/seal'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import type { Sql } from './connect.ts'

/** Keys derived from one SECRET_KEY: for the names of rows, and for the encryption of answers. */
export type IdempotencySecret = { naming: KeyObject; sealing: KeyObject }
/** `secrets`: the newest first. */
export type Idempotency = { key: string; fingerprint: string; secrets: readonly IdempotencySecret[] }
/** A request under one secret: the name of its row, and what tells it from another request with the same key. */
export type RequestName = { digest: Buffer; fingerprint: string }
/** What a command answers. `created`: whether it created its object; null where its answer does not depend on that. */
export type Answer = { body: Buffer; created: boolean | null }
/** `isPending`: the body is provisional until the work after the transaction is done. */
export type KeptAnswer = Answer & { isPending: boolean }

export function idempotencySecrets(secrets: Secrets): IdempotencySecret[] {
  const sealing = newestFirst(deriveKeys(secrets, 'idempotent-answer'))
  return newestFirst(deriveKeys(secrets, 'idempotency-key')).flatMap((naming, index) => {
    const sealingKey = sealing[index]
    return sealingKey === undefined ? [] : [{ naming, sealing: sealingKey }]
  })
}

/** SQL for a migration: the table, in the schema of the search path. An answer is final where `pending_until` is null. */
export const idempotencyTable = `
  create table idempotent_answers (
    shop_id uuid not null,
    key_digest bytea not null,
    fingerprint text not null,
    answer bytea,
    created boolean,
    pending_until timestamptz(3),
    created_at timestamptz(3) not null,
    primary key (shop_id, key_digest)
  );
  create index idempotent_answers_age on idempotent_answers (created_at);
`

/** As `answerOnce`, for a command whose answer is a body and nothing else. */
export async function once(
  tx: Sql,
  shopId: string,
  idempotency: Idempotency | null,
  now: Date,
  work: () => Promise<Buffer>,
): Promise<Buffer> {
  const { body } = await answerOnce(tx, shopId, idempotency, now, async () => ({ body: await work(), created: null }))
  return body
}

/**
 * Does the work once for this shop and key, however often it is called, and returns its answer. Without `idempotency` it does the
 * work each time. Refuses conflict when the key was used with another body. `pendingMs`: how long the answer may stay pending.
 */
export async function answerOnce(
  tx: Sql,
  shopId: string,
  idempotency: Idempotency | null,
  now: Date,
  work: () => Promise<Answer>,
  pendingMs: number | null = null,
): Promise<KeptAnswer> {
  if (idempotency === null) return { ...(await work()), isPending: false }
  const names = namesOf(shopId, idempotency)
  // An answer may have a row under one name only; the other one is not claimed for it then.
  const before = names.length > 1 ? await keptAnswer(tx, shopId, idempotency, now) : null
  if (before !== null) return before
  const claimed: Name[] = []
  let kept: Omit<OpenAnswer, 'name'> | null = null
  for (const name of names) {
    const row = await claim(tx, shopId, name, now)
    if (row === null) claimed.push(name)
    else kept = row
  }
  kept ??= { answer: await work(), pendingUntil: pendingMs === null ? null : new Date(Date.now() + pendingMs) }
  for (const name of claimed) await writeAnswer(tx, shopId, { ...kept, name })
  return { ...kept.answer, isPending: kept.pendingUntil !== null }
}

/** The first answer under this key, or null; for commands that do something before their transaction begins. */
export async function answeredBefore(db: Sql, shopId: string, idempotency: Idempotency | null, now: Date) {
  if (idempotency === null) return null
  return (await keptAnswer(db, shopId, idempotency, now))?.body ?? null
}

async function keptAnswer(db: Sql, shopId: string, idempotency: Idempotency, now: Date): Promise<KeptAnswer | null> {
  const rows = await readAnswers(db, shopId, idempotency, now)
  const [row] = rows
  if (row !== undefined && rows.length === 1) noteKeyUse(row.name.naming) // It has no row under another secret.
  return row === undefined ? null : { ...row.answer, isPending: row.pendingUntil !== null }
}

/** The rows of the answer, oldest secret first. Refuses conflict when the key was used with another body. */
export async function readAnswers(
  db: Sql,
  shopId: string,
  idempotency: Idempotency,
  now: Date,
  { locked = false } = {},
): Promise<OpenAnswer[]> {
  const names = namesOf(shopId, idempotency)
  const rows = await db.rows<AnswerRow>(
    `select key_digest, fingerprint, answer, created, pending_until from idempotent_answers
     where shop_id = $1 and key_digest = any($2::bytea[]) and created_at > $3 ${locked ? 'for update' : ''}`,
    [shopId, names.map(({ digest }) => digest), oldest(now)],
  )
  return names.flatMap((name) => {
    const row = rows.find(({ key_digest }) => key_digest.equals(name.digest))
    return row === undefined ? [] : [open(row, name)]
  })
}

export async function writeAnswer(tx: Sql, shopId: string, { name, answer, pendingUntil }: OpenAnswer): Promise<void> {
  await tx.write(
    'update idempotent_answers set answer = $3, created = $4, pending_until = $5 where shop_id = $1 and key_digest = $2',
    [shopId, name.digest, seal(answer.body, name.sealingKey, name.aad), answer.created, pendingUntil],
  )
}

/** How a table may name this request: under each accepted secret, the oldest first. Replicas beside each other share one of them. */
export function requestNames(idempotency: Idempotency, shopId: string): RequestName[] {
  return namesOf(shopId, idempotency)
}

/** Deletes at most 1,000 answers older than a day; returns how many. */
export async function deleteOldAnswers(db: Sql, now: Date): Promise<number> {
  const gone = await db.rows(
    `delete from idempotent_answers where ctid in (
       select ctid from idempotent_answers where created_at <= $1 limit 1000) returning 1`, // All shops.
    [oldest(now)],
  )
  return gone.length
}

type AnswerRow = {
  key_digest: Buffer
  fingerprint: string
  answer: Buffer | null
  created: boolean | null
  pending_until: Date | null
}
type Name = RequestName & { naming: KeyObject; sealingKey: Buffer; aad: Buffer }
/** A row of an answer, opened. */
export type OpenAnswer = { name: Name; answer: Answer; pendingUntil: Date | null }

// Oldest secret first: all replicas then take the rows of one request in the same order.
function namesOf(shopId: string, { key, fingerprint, secrets }: Idempotency): Name[] {
  return secrets.toReversed().map(({ naming, sealing }) => {
    const digest = createHmac('sha256', naming).update(key).digest()
    return {
      naming,
      digest,
      fingerprint: createHmac('sha256', naming).update(`${key}\n${fingerprint}`).digest('base64url'),
      sealingKey: createHmac('sha256', sealing).update(key).digest(),
      aad: Buffer.concat([Buffer.from(shopId), digest]),
    }
  })
}

// The row of an earlier request; null where this one has now claimed the name. The statement finds the row by its unique key, whatever the
// planner knows of the table, and waits for the transaction of another request that has claimed it: so it returns what that one has
// committed. An earlier row that is kept is written as it was; one that is too old is written as a new one, without an answer.
async function claim(tx: Sql, shopId: string, name: Name, now: Date): Promise<OpenAnswer | null> {
  const [row] = await tx.rows<AnswerRow>(
    `insert into idempotent_answers as a (shop_id, key_digest, fingerprint, created_at) values ($1, $2, $3, $4)
     on conflict (shop_id, key_digest) do update set
       (fingerprint, answer, created, pending_until, created_at) = (
         select case when is_kept then a.fingerprint else excluded.fingerprint end, case when is_kept then a.answer end,
           case when is_kept then a.created end, case when is_kept then a.pending_until end,
           case when is_kept then a.created_at else excluded.created_at end
         from (select a.created_at > $5 as is_kept) as found)
     returning key_digest, fingerprint, answer, created, pending_until`,
    [shopId, name.digest, name.fingerprint, now, oldest(now)],
  )
  return row === undefined || row.answer === null ? null : open(row, name)
}

function open({ fingerprint, answer, created, pending_until }: AnswerRow, name: Name): OpenAnswer {
  if (fingerprint !== name.fingerprint || answer === null) {
    throw refuse('conflict', 'Idempotency-Key was used before with another request.', { field: 'Idempotency-Key' })
  }
  return { name, answer: { body: unseal(answer, name.sealingKey, name.aad), created }, pendingUntil: pending_until }
}

function oldest(now: Date): Date {
  return new Date(now.getTime() - limits.idempotencyHours * 3_600_000)
}
