// Kept answers of an Idempotency-Key: unreadable in the table, and found by every replica while SECRET_KEY is rotated
// (docs/spec/back-office.md#idempotency-key).
import { createDecipheriv, createHash, hkdfSync, randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { databaseDuringTests } from '#testing/during-tests'
import { answersStorage } from '#testing/idempotent-answers'
import { until } from '#testing/until'
import { answeredBefore, deleteOldAnswers, idempotencySecrets, once, requestNames } from './idempotency.ts'
import { type Sql, sqlOf } from './sql.ts'

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
const hour = 3_600_000
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

test('a new key and a repeated one are found or claimed by one statement', async () => {
  const [key, shopId] = [randomUUID(), randomUUID()]
  const texts: string[] = []
  const counted = (tx: Sql) => ({
    ...tx,
    ...sqlOf((text, values) => {
      texts.push(text.trim().split(' ')[0] ?? '')
      return tx.rows(text, values)
    }),
  })
  const answer = () =>
    db.transaction((tx) =>
      once(counted(tx), shopId, requestOf(key, 'new'), new Date(), async () => Buffer.from('done')),
    )
  await answer()
  expect(texts).toEqual(['insert', 'update'])
  expect(String(await answer())).toBe('done')
  expect(texts).toEqual(['insert', 'update', 'insert'])
})

test('a repeated request leaves the kept answer as it was, and has it for a day', async () => {
  const [key, shopId, begun] = [randomUUID(), randomUUID(), Date.now()]
  const answerAfter = (hours: number, text: string, fingerprint = 'a') =>
    db.transaction((tx) => {
      const request = requestOf(key, 'new', fingerprint)
      return once(tx, shopId, request, new Date(begun + hours * hour), async () => Buffer.from(text))
    })
  const rows = () => db.rows('select * from idempotent_answers where shop_id = $1', [shopId])
  await answerAfter(0, 'first')
  const kept = await rows()
  expect(String(await answerAfter(23, 'second'))).toBe('first')
  expect(await rows()).toEqual(kept)
  expect(String(await answerAfter(25, 'third', 'b'))).toBe('third')
  await expect(answerAfter(26, 'fourth', 'a')).rejects.toMatchObject({ type: 'conflict' })
  expect(String(await answerAfter(48, 'fourth', 'b'))).toBe('third')
})

describe('a request whose key is claimed by an open transaction', () => {
  const rolledBack = new Error('The work failed.')

  /** What the second request answers, which waits until the first has ended. */
  async function answerBehind(end: () => void): Promise<string> {
    const [key, shopId] = [randomUUID(), randomUUID()]
    const answerBy = (tx: Sql, text: string) =>
      once(tx, shopId, requestOf(key, 'new'), new Date(), async () => Buffer.from(text))
    let second: Promise<Buffer> = Promise.resolve(Buffer.alloc(0))
    await db
      .transaction(async (tx) => {
        await answerBy(tx, 'first')
        second = db.transaction((other) => answerBy(other, 'second'))
        const waiting = 'select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))'
        await until(async () => (await tx.rows(waiting)).length > 0)
        end()
      })
      .catch((error: unknown) => {
        if (error !== rolledBack) throw error
      })
    return String(await second)
  }

  test('waits for the commit and has the answer of the first', async () => {
    expect(await answerBehind(() => undefined)).toBe('first')
  })

  test('does the work itself when that transaction is rolled back', async () => {
    const rollBack = () => {
      throw rolledBack
    }
    expect(await answerBehind(rollBack)).toBe('second')
  })
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

  test('an answer that has a row under one of the two keys gets none under the other', async () => {
    const [key, shopId] = [randomUUID(), randomUUID()]
    for (const replica of ['new', 'rotating', 'rotating'] as const) await answerOn(replica, key, shopId)
    expect(await db.rows('select 1 from idempotent_answers where shop_id = $1', [shopId])).toHaveLength(1)
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

test('answers go 24 hours after their request, and younger ones stay', async () => {
  const [old, young] = [randomUUID(), randomUUID()]
  for (const shopId of [old, young]) await answerOn('new', 'a key', shopId)
  const now = new Date()
  const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000)
  const age = 'update idempotent_answers set created_at = $2 where shop_id = $1'
  for (const [shopId, hours] of [
    [old, 24.1],
    [young, 23.9],
  ] as const)
    await db.rows(age, [shopId, ago(hours)])
  await deleteOldAnswers(db, now)
  const left = await db.rows('select shop_id from idempotent_answers where shop_id in ($1, $2)', [old, young])
  expect(left).toEqual([{ shop_id: young }])
})
