// Answers that depend on work after the transaction of their command (docs/spec/rest-api.md#idempotency-key).
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { databaseDuringTests } from '#testing/during-tests'
import { answersStorage } from '#testing/idempotent-answers'
import { answerOnce, idempotencySecrets } from './idempotency.ts'
import { settleAnswer, settledAnswer } from './pending-answer.ts'

const db = databaseDuringTests(answersStorage)
const [before, present] = ['the secret that was in use before.', 'the secret that is in use today...']
const secrets = {
  old: idempotencySecrets({ secretKey: before, secretKeyPrevious: null }),
  rotating: idempotencySecrets({ secretKey: present, secretKeyPrevious: before }),
  new: idempotencySecrets({ secretKey: present, secretKeyPrevious: null }),
}
type Replica = keyof typeof secrets
const answerOf = (text: string) => ({ body: Buffer.from(text), created: null })

/** Replicas that answer one request. */
function request(pendingMs: number) {
  const [key, shopId, now] = [randomUUID(), randomUUID(), new Date()]
  const idempotency = (replica: Replica) => ({ key, fingerprint: 'a', secrets: secrets[replica] })
  const work = async () => answerOf('provisional')
  return {
    begin: (replica: Replica) =>
      db.transaction((tx) => answerOnce(tx, shopId, idempotency(replica), now, work, pendingMs)),
    wait: async (replica: Replica) => String((await settledAnswer(db, shopId, idempotency(replica), now)).body),
    settle: async (replica: Replica, text: string) =>
      String((await settleAnswer(db, shopId, idempotency(replica), now, answerOf(text))).body),
  }
}

test('every call that finds the answer pending gets the one that is settled afterwards', async () => {
  const { begin, wait, settle } = request(60_000)
  expect(await begin('new')).toMatchObject({ isPending: true })
  const found = await Promise.all(Array.from({ length: 20 }, () => begin('new')))
  expect(found).toEqual(Array(20).fill({ ...answerOf('provisional'), isPending: true }))
  const waiting = found.map(() => wait('new'))
  expect(await settle('new', 'final')).toBe('final')
  expect(await Promise.all(waiting)).toEqual(Array(20).fill('final'))
  expect(await begin('new')).toEqual({ ...answerOf('final'), isPending: false })
})

test('where its process has died the provisional answer becomes the final one, and no later one replaces it', async () => {
  const { begin, wait, settle } = request(100)
  await begin('new')
  expect(await Promise.all([wait('new'), wait('new')])).toEqual(['provisional', 'provisional'])
  expect(await settle('new', 'too late')).toBe('provisional')
  expect(await wait('new')).toBe('provisional')
})

test('while SECRET_KEY is rotated replicas of every setting get the settled answer', async () => {
  const { begin, wait, settle } = request(60_000)
  await begin('rotating')
  const waiting = (['old', 'rotating', 'new'] as const).map(wait)
  expect(await settle('rotating', 'final')).toBe('final')
  expect(await Promise.all(waiting)).toEqual(['final', 'final', 'final'])
})
