// Kept answers of an Idempotency-Key: unreadable in the table, and found by every replica while SECRET_KEY is rotated
// (docs/spec/back-office.md#idempotency-key).
import { createDecipheriv, createHash, hkdfSync, randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { databaseDuringTests } from '#testing/during-tests'
import { answersStorage } from '#testing/idempotent-answers'
import { answeredBefore, idempotencySecrets, once, requestNames } from './idempotency.ts'

const db = databaseDuringTests(answersStorage)

const [before, present] = ['the secret that was in use before.', 'the secret that is in use today...']
const replicas = {
  old: idempotencySecrets({ secretKey: before, secretKeyPrevious: null }),
  announced: idempotencySecrets({ secretKey: before, secretKeyNext: present, secretKeyPrevious: null }),
  rotating: idempotencySecrets({ secretKey: present, secretKeyPrevious: before }),
  new: idempotencySecrets({ secretKey: present, secretKeyPrevious: null }),
}
type Replica = keyof typeof replicas
const requestOf = (key: string, replica: Replica, fingerprint = 'a') => ({
  key,
  fingerprint,
  secrets: replicas[replica],
})

const namesOf = (replica: Replica, key: string, shopId: string) =>
  requestNames(requestOf(key, replica), shopId).map(
    ({ digest, fingerprint }) => `${digest.toString('hex')} ${fingerprint}`,
  )

let done = 0
const answerOn = (replica: Replica, key: string, shopId: string, fingerprint = 'a') =>
  db.transaction((tx) =>
    once(tx, shopId, requestOf(key, replica, fingerprint), new Date(), async () => {
      done += 1
      return Buffer.from(`sfk_secret ${done}`)
    }),
  )
const unkeyed = (key: string) => ({
  digest: createHash('sha256').update(key).digest(),
  sealing: Buffer.from(hkdfSync('sha256', key, 'storefront', 'idempotent-answer', 32)),
})

test('rows alone neither confirm a guess of an Idempotency-Key or a request, nor open its answer', async () => {
  const [key, shopId] = ['create-key-4711', randomUUID()]
  await answerOn('new', key, shopId)
  const { digest, sealing } = unkeyed(key)
  const rows = await db.rows<{ key_digest: Buffer; fingerprint: string; answer: Buffer }>(
    'select key_digest, fingerprint, answer from idempotent_answers where shop_id = $1',
    [shopId],
  )
  expect(rows).toHaveLength(1)
  for (const { key_digest, fingerprint, answer } of rows) {
    expect(key_digest).not.toEqual(digest)
    expect(fingerprint).not.toBe('a')
    const opened = createDecipheriv('aes-256-gcm', sealing, answer.subarray(0, 12), { authTagLength: 16 })
    opened.setAuthTag(answer.subarray(12, 28)).update(answer.subarray(28))
    expect(() => opened.final()).toThrow(/unable to authenticate data/)
  }
})

describe('while SECRET_KEY is rotated', () => {
  test.each<[Replica, Replica]>([
    ['old', 'announced'],
    ['announced', 'old'],
    ['announced', 'rotating'],
    ['rotating', 'announced'],
    ['old', 'rotating'],
    ['rotating', 'old'],
    ['rotating', 'new'],
    ['new', 'rotating'],
  ])('a request that a replica with the %s setting answered gets the same answer with the %s one', async (one, two) => {
    const [key, shopId] = [randomUUID(), randomUUID()]
    const first = await answerOn(one, key, shopId)
    expect(await answerOn(two, key, shopId)).toEqual(first)
    expect(await answerOn(one, key, shopId)).toEqual(first)
    await expect(answerOn(two, key, shopId, 'b')).rejects.toMatchObject({ type: 'conflict' })
    const both = [...namesOf('old', key, shopId), ...namesOf('new', key, shopId)]
    expect(namesOf('announced', key, shopId)).toEqual(both)
    expect(namesOf('rotating', key, shopId)).toEqual(both)
  })

  test.each<[Replica, Replica]>([
    ['old', 'announced'],
    ['announced', 'rotating'],
    ['old', 'rotating'],
    ['rotating', 'new'],
  ])('twenty requests at once on replicas with the %s and the %s setting do the work once', async (one, two) => {
    const [key, shopId, doneBefore] = [randomUUID(), randomUUID(), done]
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => answerOn(index % 2 === 0 ? one : two, key, shopId)),
    )
    expect(new Set(answers.map(String)).size).toBe(1)
    expect(done).toBe(doneBefore + 1)
    expect((await answeredBefore(db, shopId, requestOf(key, 'rotating'), new Date()))?.toString()).toBe(
      String(answers[0]),
    )
  })
})
