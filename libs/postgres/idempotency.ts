// Idempotency keys: a command that is sent again with the same Idempotency-Key and body gets the first answer and does nothing.
// docs/spec/back-office.md#idempotency-key
//
// The row is written in the command's own transaction. Of two at once the second waits at the unique key until the first
// commits and then reads its answer; when the first rolls back, the second does the work. So a crash leaves both the change
// and the answer, or neither. Each schema that takes commands has the table (see `idempotencyTable`).
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import type { Sql } from './connect.ts'

export type Idempotency = { key: string; fingerprint: string }

/** SQL for a migration: the table, in the schema of the search path. */
export const idempotencyTable = `
  create table idempotent_answers (
    shop_id uuid not null,
    key_digest bytea not null,
    fingerprint text not null,
    answer bytea,
    created_at timestamptz(3) not null,
    primary key (shop_id, key_digest)
  );
  create index idempotent_answers_age on idempotent_answers (created_at);
`

/**
 * Does the work once for this shop and key, however often it is called, and gives its answer. Without `idempotency` it does the
 * work each time. Refuses conflict when the key was used with another body.
 */
export async function once(
  tx: Sql,
  shopId: string,
  idempotency: Idempotency | null,
  now: Date,
  work: () => Promise<Buffer>,
): Promise<Buffer> {
  if (idempotency === null) return work()
  const keyDigest = createHash('sha256').update(idempotency.key).digest()
  const before = await claim(tx, shopId, keyDigest, idempotency.fingerprint, now)
  if (before !== null) return answerAgain(before, idempotency)
  const answer = await work()
  await tx.rows('update idempotent_answers set answer = $3 where shop_id = $1 and key_digest = $2', [
    shopId,
    keyDigest,
    encrypt(answer, idempotency.key),
  ])
  return answer
}

/** The first answer under this key, or null; for commands that do something before their transaction begins. */
export async function answeredBefore(db: Sql, shopId: string, idempotency: Idempotency | null, now: Date) {
  if (idempotency === null) return null
  const keyDigest = createHash('sha256').update(idempotency.key).digest()
  const [row] = await db.rows<Kept>(
    'select fingerprint, answer from idempotent_answers where shop_id = $1 and key_digest = $2 and created_at > $3',
    [shopId, keyDigest, oldest(now)],
  )
  return row === undefined ? null : answerAgain(row, idempotency)
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

type Kept = { fingerprint: string; answer: Buffer | null }

async function claim(tx: Sql, shopId: string, keyDigest: Buffer, fingerprint: string, now: Date): Promise<Kept | null> {
  const claimed = await tx.rows(
    `insert into idempotent_answers as a (shop_id, key_digest, fingerprint, created_at) values ($1, $2, $3, $4)
     on conflict (shop_id, key_digest) do update
       set fingerprint = excluded.fingerprint, answer = null, created_at = excluded.created_at
       where a.created_at <= $5
     returning 1`,
    [shopId, keyDigest, fingerprint, now, oldest(now)],
  )
  if (claimed.length > 0) return null
  const [row] = await tx.rows<Kept>(
    'select fingerprint, answer from idempotent_answers where shop_id = $1 and key_digest = $2',
    [shopId, keyDigest],
  )
  return row ?? null
}

function answerAgain(before: Kept, idempotency: Idempotency): Buffer {
  if (before.fingerprint !== idempotency.fingerprint || before.answer === null) {
    throw refuse('conflict', 'Idempotency-Key was used before with another request.', { field: 'Idempotency-Key' })
  }
  return decrypt(before.answer, idempotency.key)
}

function oldest(now: Date): Date {
  return new Date(now.getTime() - limits.idempotencyHours * 3_600_000)
}

// An answer may contain a new API key. It is encrypted with a key derived from the Idempotency-Key, of which only a digest is
// stored, so that the database alone does not reveal it.
function encrypt(answer: Buffer, key: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', encryptionKey(key), nonce)
  const sealed = Buffer.concat([cipher.update(answer), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

function decrypt(sealed: Buffer, key: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', encryptionKey(key), sealed.subarray(0, 12))
  decipher.setAuthTag(sealed.subarray(12, 28))
  return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()])
}

function encryptionKey(key: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, 'storefront', 'idempotent-answer', 32))
}
