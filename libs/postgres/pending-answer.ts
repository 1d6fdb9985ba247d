// Answers that depend on work after the transaction of a command, such as whether a mail went out.
// docs/spec/rest-api.md#idempotency-key
//
// Protocol. The command keeps a provisional answer with `pending_until` in its transaction, does the work, and settles the answer.
// Commands that find the answer pending wait until it is settled, so all of them answer the same. When the process dies in between, the
// answer stays pending until `pending_until`; the first command that finds it afterwards settles it as it is. The first to settle
// decides: a process that was slower than `pending_until` takes the answer that others have sent by then.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Sql } from './connect.ts'
import { type Answer, type Idempotency, readAnswers, writeAnswer } from './idempotency.ts'

// Between two reads of a pending answer: at first, and at most.
const WAIT_MS = 25
const WAIT_MS_MAX = 400

/** Makes `answer` the final one, unless the answer is final already; returns the final answer. */
export function settleAnswer(
  db: Pick<Database, 'transaction'>,
  shopId: string,
  idempotency: Idempotency | null,
  now: Date,
  answer: Answer,
): Promise<Answer> {
  if (idempotency === null) return Promise.resolve(answer)
  return db.transaction(async (tx) => {
    const rows = await readAnswers(tx, shopId, idempotency, now, { locked: true })
    const final = rows.find(({ pendingUntil }) => pendingUntil === null)?.answer ?? answer
    const pending = rows.filter(({ pendingUntil }) => pendingUntil !== null)
    for (const row of pending) await writeAnswer(tx, shopId, { ...row, answer: final, pendingUntil: null })
    return final
  })
}

/** Waits until the pending answer is settled, at most until its `pending_until`, and returns it. */
export async function settledAnswer(
  db: Sql & Pick<Database, 'transaction'>,
  shopId: string,
  idempotency: Idempotency,
  now: Date,
): Promise<Answer> {
  for (let waitMs = WAIT_MS; ; waitMs = Math.min(2 * waitMs, WAIT_MS_MAX)) {
    const rows = await readAnswers(db, shopId, idempotency, now)
    const due = rows.find(({ pendingUntil }) => pendingUntil === null || pendingUntil.getTime() <= Date.now())
    if (due !== undefined) return settleAnswer(db, shopId, idempotency, now, due.answer)
    if (rows.length === 0) throw new Error('A pending answer is gone.')
    await sleep(waitMs)
  }
}
