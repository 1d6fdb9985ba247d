// The actions about SECRET_KEY itself: how a rotation stands, and the reports of its uses. docs/spec/running.md#rotation-of-the-secret-key
import { deriveKeys, keyIdOf, secretIdOf, sourceOf } from '#config/derive-key'
import { limits } from '#contracts/limits'
import type { SecretKey } from '#contracts/objects/back-office'
import { toSingle } from '#paging/page'
import type { Database } from '#postgres/connect'
import type { ActionHandlers, Settings } from '#runtime/service'
import type { KeptKeyRow, SecretKeyUseRow } from '../tables.ts'
import { addUses, listKeptKeys, listUses } from './queries.ts'

const HOUR_MS = 3_600_000

export function secretKeyActions(settings: Settings, db: Database): ActionHandlers {
  return {
    async 'auth.note_key_uses'({ params: { secret_id, uses }, locals: { now } }) {
      for (const { purpose, uses: count, stored } of uses)
        await addUses(db, { secretId: secret_id, purpose, uses: count, stored }, now)
      return {}
    },
    async 'secret_key.get'({ locals: { now } }) {
      const { secretKeyPrevious: previous } = settings
      const kept = previous === null ? [] : await listKeptKeys(db)
      const uses = previous === null ? [] : await listUses(db, secretIdOf(previous))
      return toSingle(JSON.stringify(shown(settings, kept, uses, now)))
    },
  }
}

function shown(settings: Settings, kept: KeptKeyRow[], uses: SecretKeyUseRow[], now: Date): SecretKey {
  const { secretKey, secretKeyNext, secretKeyPrevious } = settings
  const [own] = deriveKeys({ secretKey, secretKeyPrevious: null }, 'kept-key')
  const since = previousSince(settings, kept)
  const answersUntil = since === null ? null : new Date(since.getTime() + limits.idempotencyHours * HOUR_MS)
  const reported = uses.flatMap(({ stored }) => stored ?? [])
  const keptUnderOthers = kept.filter((row) => own !== undefined && row.sealed_key_id !== keyIdOf(own)).length
  const stored = reported.length === 0 ? null : reported.reduce((sum, count) => sum + count, keptUnderOthers)
  const cursors = uses.find(({ purpose }) => purpose === 'cursor')?.last_used_at ?? null
  const isOver = answersUntil !== null && answersUntil <= now
  const isUnused = cursors === null || now.getTime() - cursors.getTime() > HOUR_MS
  return {
    object: 'secret_key',
    keyId: secretIdOf(secretKey),
    nextKeyId: secretKeyNext === null ? null : secretIdOf(secretKeyNext),
    previousKeyId: secretKeyPrevious === null ? null : secretIdOf(secretKeyPrevious),
    previousSince: since?.toISOString() ?? null,
    answersUntil: answersUntil?.toISOString() ?? null,
    storedUnderPrevious: secretKeyPrevious === null ? null : stored,
    previousLastUsedAt: cursors?.toISOString() ?? null,
    previousUses: uses.map((row) => ({
      purpose: row.purpose,
      uses: row.uses,
      lastUsedAt: row.last_used_at?.toISOString() ?? null,
    })),
    mayForgetPrevious: isOver && stored === 0 && isUnused,
  }
}

// The instant at which the previous key was kept; null where that has not happened.
function previousSince(settings: Settings, kept: KeptKeyRow[]): Date | null {
  const previous = deriveKeys(settings, 'api-key').find((key) => sourceOf(key) === 'previous')
  if (previous === undefined) return null
  return kept.find(({ purpose, key_id }) => purpose === 'api-key' && key_id === keyIdOf(previous))?.kept_at ?? null
}
