// The signing secrets of a shop's endpoints as they leave the service for an archive, and come back. docs/spec/archives.md#secrets
// They are stored under SECRET_KEY, so an archive has them as their owner sees them, and the command line encrypts that part.
import type { KeyObject } from 'node:crypto'
import { newValue } from '#archive/new-ids'
import type { ArchivePage } from '#archive/read-part'
import type { ArchivedRow } from '#archive/restore-part'
import type { Batch } from '#archive/handlers'
import { refuse } from '#contracts/errors'
import type { Sql } from '#postgres/connect'
import { formatSecret } from '#webhook-request/signature'
import { lastFourOf, openSecret, sealSecret } from '../endpoints/secrets.ts'
import { listSecrets, replaceSecrets } from './queries.ts'

const FORM = /^whsec_([A-Za-z0-9+/]+={0,2})$/

export async function readSecrets(
  db: Sql,
  shopId: string,
  keys: KeyObject[],
  after: string | null,
): Promise<ArchivePage> {
  if (after !== null) return { body: Buffer.alloc(0), last: null }
  const rows = await listSecrets(db, shopId)
  const lines = rows.map((row) => {
    const { id, secret, secret_key_id, old_secret, old_secret_key_id, old_secret_until } = row
    const shown = (sealed: Buffer, keyId: string) => formatSecret(openSecret({ sealed, keyId }, id, keys))
    return JSON.stringify({
      id,
      secret: shown(secret, secret_key_id),
      old_secret: old_secret === null || old_secret_key_id === null ? null : shown(old_secret, old_secret_key_id),
      old_secret_until: old_secret_until?.toISOString() ?? null,
    })
  })
  return { body: Buffer.from(lines.map((line) => `${line}\n`).join('')), last: rows.at(-1)?.id ?? null }
}

/** Refuses invalid_request for a row that is no secret of an endpoint of the shop. */
export async function restoreSecrets(tx: Sql, rows: ArchivedRow[], batch: Batch, keys: KeyObject[]): Promise<void> {
  for (const row of rows) {
    const id = String(batch.newIds ? newValue(batch.shopId, 'id', row.id) : row.id)
    const secret = bytesOf(row.secret)
    const old = row.old_secret === null ? null : sealSecret(bytesOf(row.old_secret), id, keys)
    const { sealed, keyId } = sealSecret(secret, id, keys)
    const isKnown = await replaceSecrets(tx, batch.shopId, {
      id,
      secret: sealed,
      secret_key_id: keyId,
      secret_last_four: lastFourOf(secret),
      old_secret: old?.sealed ?? null,
      old_secret_key_id: old?.keyId ?? null,
      old_secret_until: old === null ? null : new Date(String(row.old_secret_until)),
    })
    if (!isKnown) throw refuse('invalid_request', 'rows: no endpoint has this secret.', { field: 'rows' })
  }
}

function bytesOf(shown: unknown): Buffer {
  const [, text] = FORM.exec(String(shown)) ?? []
  if (text === undefined)
    throw refuse('invalid_request', 'rows: a secret must be in the form whsec_….', { field: 'rows' })
  return Buffer.from(text, 'base64')
}
