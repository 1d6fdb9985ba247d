// What auth keeps of a secret key that was rotated, and what it says about the rotation. docs/spec/running.md#rotation-of-the-secret-key
import { describe, expect, test } from '@jest/globals'
import { deriveKeys, isOutdated, secretIdOf } from '#config/derive-key'
import type { SecretKey } from '#contracts/objects/back-office'
import type { Settings } from '#runtime/service'
import { databaseDuringTests } from '#testing/during-tests'
import { auth } from '../service.ts'
import { secretKeyActions } from './actions.ts'
import { openDigestKeys } from './kept-keys.ts'

const [first, second, third] = [
  'the first secret of 32 characters',
  'the second secret of 32 characters',
  'the third one',
]
const db = databaseDuringTests(auth.storage)
const settingsOf = (secretKey: string, others: Partial<Settings> = {}) =>
  ({ secretKey, secretKeyNext: null, secretKeyPrevious: null, ...others }) as Settings
const now = new Date()
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000)
const apiKeysOf = (secret: string) =>
  deriveKeys(settingsOf(secret), 'api-key').map((key) => key.export().toString('hex'))

async function keysOf(settings: Settings, at = now): Promise<string[]> {
  const keys = openDigestKeys(settings, db)
  await keys.refresh(at)
  await keys.refresh(at)
  return keys.apiKeys.map((key) => key.export().toString('hex'))
}

describe('the keys of digests', () => {
  test('stay known through rotations, each once, the key of SECRET_KEY first', async () => {
    await db.rows('delete from kept_keys')
    await keysOf(settingsOf(second, { secretKeyPrevious: first }))
    expect(await keysOf(settingsOf(second))).toEqual([...apiKeysOf(second), ...apiKeysOf(first)])
    await keysOf(settingsOf(third, { secretKeyPrevious: second }))
    const kept = await keysOf(settingsOf(third))
    expect(kept.toSorted()).toEqual([first, second, third].flatMap(apiKeysOf).toSorted())
    expect(kept.slice(0, 1)).toEqual(apiKeysOf(third))
  })

  test('of kept secrets are to be replaced at the next use, that of the next one is not', async () => {
    await db.rows('delete from kept_keys')
    await keysOf(settingsOf(second, { secretKeyPrevious: first }))
    const keys = openDigestKeys(settingsOf(second, { secretKeyNext: third }), db)
    await keys.refresh(now)
    expect(keys.operatorSecrets.map(isOutdated)).toEqual([false, false, true])
  })

  test('are sealed: without the secret they do not open, and auth does not start', async () => {
    await db.rows('delete from kept_keys')
    await keysOf(settingsOf(second, { secretKeyPrevious: first }))
    const rows = await db.rows<{ sealed: Buffer }>('select sealed from kept_keys')
    expect(rows.filter(({ sealed }) => sealed.toString('hex').includes(String(apiKeysOf(first))))).toEqual([])
    await expect(keysOf(settingsOf(third))).rejects.toThrow('set SECRET_KEY_PREVIOUS')
  })

  test('of the last ten secrets are kept', async () => {
    await db.rows('delete from kept_keys')
    const secrets = Array.from({ length: 13 }, (_, index) => `secret number ${index} of 32 characters`)
    for (const [index, secretKey] of secrets.entries())
      await keysOf(settingsOf(secretKey, { secretKeyPrevious: secrets[index - 1] ?? null }), hoursAgo(20 - index))
    const kept = await keysOf(settingsOf(secrets.at(-1) ?? ''))
    expect(kept.toSorted()).toEqual(secrets.slice(2).flatMap(apiKeysOf).toSorted())
  })

  test('of a rotation that was taken back begin anew: the day without loss is counted from the second one', async () => {
    await db.rows('delete from kept_keys')
    await keysOf(settingsOf(second, { secretKeyPrevious: first }), hoursAgo(48))
    await keysOf(settingsOf(first, { secretKeyPrevious: second }), hoursAgo(36))
    await keysOf(settingsOf(second, { secretKeyPrevious: first }), hoursAgo(1))
    expect(await shown(settingsOf(second, { secretKeyPrevious: first }))).toMatchObject({
      previousSince: hoursAgo(1).toISOString(),
    })
  })
})

async function shown(settings: Settings): Promise<SecretKey> {
  const { 'secret_key.get': get } = secretKeyActions(settings, db)
  return JSON.parse(String(await get?.({ params: {}, meta: {}, locals: { now } } as never))).data
}

async function report(purpose: string, uses: number, at: Date, stored?: number): Promise<void> {
  const { 'auth.note_key_uses': note } = secretKeyActions(settingsOf(second), db)
  const params = { secret_id: secretIdOf(first), uses: [{ purpose, uses, stored }] }
  await note?.({ params, meta: {}, locals: { now: at } } as never)
}

test('the previous key may go after a day, when nothing is stored under it and for an hour no cursor of it came', async () => {
  await db.rows('delete from kept_keys')
  const settings = settingsOf(second, { secretKeyPrevious: first })
  expect(await shown(settingsOf(second))).toMatchObject({ previousKeyId: null, mayForgetPrevious: false })
  expect(await shown(settings)).toMatchObject({ previousSince: null, mayForgetPrevious: false })

  await keysOf(settings, hoursAgo(23))
  await report('webhook-secret', 0, hoursAgo(2), 0)
  expect(await shown(settings)).toMatchObject({ storedUnderPrevious: 0, mayForgetPrevious: false })

  await db.rows('update kept_keys set kept_at = $1', [hoursAgo(25)])
  expect(await shown(settings)).toMatchObject({ answersUntil: hoursAgo(1).toISOString(), mayForgetPrevious: true })
  await report('webhook-secret', 1, hoursAgo(1), 2)
  expect(await shown(settings)).toMatchObject({ storedUnderPrevious: 2, mayForgetPrevious: false })
  await report('webhook-secret', 0, hoursAgo(1), 0)
  await report('cursor', 3, hoursAgo(2))
  await report('api-key', 1, now)
  expect(await shown(settings)).toMatchObject({
    previousLastUsedAt: hoursAgo(2).toISOString(),
    previousUses: [
      { purpose: 'api-key', uses: 1, lastUsedAt: now.toISOString() },
      { purpose: 'cursor', uses: 3, lastUsedAt: hoursAgo(2).toISOString() },
      { purpose: 'webhook-secret', uses: 1, lastUsedAt: hoursAgo(1).toISOString() },
    ],
    mayForgetPrevious: true,
  })
  await report('cursor', 1, now)
  expect(await shown(settings)).toMatchObject({ previousLastUsedAt: now.toISOString(), mayForgetPrevious: false })
})
