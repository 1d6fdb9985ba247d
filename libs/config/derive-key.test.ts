// The keys of the secrets of a rotation, and the count of their uses. docs/spec/running.md#rotation-of-the-secret-key
import { expect, test } from '@jest/globals'
import { deriveKeys, isOutdated, keyUsesOf, newestFirst, noteKeyUse, secretIdOf, sourceOf } from './derive-key.ts'

const [old, young] = ['the secret that was in use before.', 'the secret that is in use today...']
const announced = { secretKey: old, secretKeyNext: young, secretKeyPrevious: null }
const rotating = { secretKey: young, secretKeyNext: null, secretKeyPrevious: old }
const hexOf = (keys: readonly { export(): Buffer }[]) => keys.map((key) => key.export().toString('hex'))

test('both settings of a rotation derive the same keys, SECRET_KEY first or the newest first', () => {
  const [before, after] = [deriveKeys(announced, 'cursor'), deriveKeys(rotating, 'cursor')]
  expect(hexOf(before)).toEqual(hexOf(after).toReversed())
  expect(hexOf(newestFirst(before))).toEqual(hexOf(newestFirst(after)))
  expect(before.map(sourceOf)).toEqual(['current', 'next'])
  expect(after.map(sourceOf)).toEqual(['current', 'previous'])
  expect([...before, ...after].map(isOutdated)).toEqual([false, false, false, true])
})

test('a secret that is set twice counts once', () => {
  expect(deriveKeys({ secretKey: old, secretKeyNext: old, secretKeyPrevious: old }, 'cursor')).toHaveLength(1)
  expect(deriveKeys({ secretKey: old, secretKeyNext: young, secretKeyPrevious: young }, 'cursor')).toHaveLength(2)
})

test('uses are counted by purpose and settings, those of SECRET_KEY are not', () => {
  const settings = { ...rotating }
  const [current, previous] = deriveKeys(settings, 'cursor')
  deriveKeys(settings, 'api-key')
  for (const key of [current, previous, previous]) if (key !== undefined) noteKeyUse(key)
  expect(keyUsesOf(settings)).toEqual([
    { source: 'previous', purpose: 'cursor', uses: 2 },
    { source: 'previous', purpose: 'api-key', uses: 0 },
  ])
  expect(keyUsesOf({ ...settings })).toEqual([])
})

test('the id of a secret is the same everywhere and tells nothing of it', () => {
  expect(secretIdOf(old)).toMatch(/^[0-9a-f]{16}$/)
  expect(secretIdOf(old)).toBe(secretIdOf(`${old}`))
  expect(secretIdOf(old)).not.toBe(secretIdOf(young))
})
