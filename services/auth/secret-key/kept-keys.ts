// The keys under which auth finds API keys, operators' tokens and sessions, and tokens of agents by their digests.
// docs/spec/running.md#rotation-of-the-secret-key
//
// A digest cannot be made anew without the secret that it is of, which comes with its next use. So the key of the digests outlives its
// SECRET_KEY: while that is SECRET_KEY_PREVIOUS, the derived key is kept in the database, sealed under SECRET_KEY, and is sealed again
// by each later rotation. With a kept key alone nothing can be forged: the secrets are random, and only their digests are stored.
// Every auth that has the previous key keeps it, at its start and each minute; a crash in between changes nothing.
import { createSecretKey, type KeyObject } from 'node:crypto'
import { deriveKeys, isOutdated, keyIdOf, type KeyPurpose, sourceOf, watchKey } from '#config/derive-key'
import { seal, unseal } from '#config/seal'
import type { Database } from '#postgres/connect'
import type { Settings } from '#runtime/service'
import type { KeptKeyRow } from '../tables.ts'
import { deleteOldUses, forgetKey, keepKey, listKeptKeys, resealKey } from './queries.ts'

/** The key of new digests first. `refresh` adds the kept keys to each list. */
export type DigestKeys = {
  apiKeys: KeyObject[]
  operatorSecrets: KeyObject[]
  agentTokens: KeyObject[]
  /** Keeps the previous key, seals kept keys again, and adds those of other rotations. Throws where one does not open. */
  refresh(now: Date): Promise<void>
}

const KEPT_MAX = 10 // Rotations that a key may stay unused.
const USES_KEPT_MS = 90 * 86_400_000

export function openDigestKeys(settings: Settings, db: Database): DigestKeys {
  const lists = new Map<KeyPurpose, KeyObject[]>()
  const apiKeys = deriveKeys(settings, 'api-key')
  const operatorSecrets = deriveKeys(settings, 'operator-secret')
  const agentTokens = deriveKeys(settings, 'agent-token')
  lists.set('api-key', apiKeys).set('operator-secret', operatorSecrets).set('agent-token', agentTokens)
  const sealingKeys = deriveKeys(settings, 'kept-key')
  return {
    apiKeys,
    operatorSecrets,
    agentTokens,
    async refresh(now) {
      const previous = [...lists].flatMap(([purpose, keys]) =>
        keys.filter((key) => sourceOf(key) === 'previous').map((key) => ({ purpose, key })),
      )
      for (const { purpose, key } of previous) await keepKey(db, sealed(purpose, key, now, sealingKeys))
      for (const [purpose, keys] of lists) await readKept(purpose, keys)
      await deleteOldUses(db, new Date(now.getTime() - USES_KEPT_MS))
    },
  }

  async function readKept(purpose: KeyPurpose, keys: KeyObject[]): Promise<void> {
    const rows = (await listKeptKeys(db)).filter((row) => row.purpose === purpose)
    for (const [at, row] of rows.entries()) {
      const known = keys.find((key) => keyIdOf(key) === row.key_id)
      // The key of a rotation that was taken back. Where a next key is set, a replica of the next step keeps it.
      const isCurrent = known !== undefined && sourceOf(known) === 'current' && !settings.secretKeyNext
      if (at >= KEPT_MAX || isCurrent) {
        await forgetKey(db, row)
        continue
      }
      const { key, isStale } = opened(row, sealingKeys)
      if (isStale) await resealKey(db, sealed(purpose, key, row.kept_at, sealingKeys), row.sealed_key_id)
      if (known !== undefined) continue
      watchKey(settings, key, 'kept', purpose)
      keys.push(key)
    }
  }
}

function sealed(purpose: string, key: KeyObject, keptAt: Date, [sealingKey]: KeyObject[]): KeptKeyRow {
  if (sealingKey === undefined) throw new Error('A key needs another one to be sealed with.')
  const keyId = keyIdOf(key)
  return {
    purpose,
    key_id: keyId,
    sealed: seal(key.export(), sealingKey, contextOf(purpose, keyId)),
    sealed_key_id: keyIdOf(sealingKey),
    kept_at: keptAt,
  }
}

function opened(row: KeptKeyRow, sealingKeys: KeyObject[]): { key: KeyObject; isStale: boolean } {
  const sealingKey = sealingKeys.find((key) => keyIdOf(key) === row.sealed_key_id)
  if (sealingKey === undefined)
    throw new Error(
      `The table kept_keys of auth was sealed under another SECRET_KEY (${row.sealed_key_id}); set SECRET_KEY_PREVIOUS to it.`,
    )
  const key = createSecretKey(unseal(row.sealed, sealingKey, contextOf(row.purpose, row.key_id)))
  return { key, isStale: isOutdated(sealingKey) }
}

function contextOf(purpose: string, keyId: string): Buffer {
  return Buffer.from(`${purpose} ${keyId}`)
}
