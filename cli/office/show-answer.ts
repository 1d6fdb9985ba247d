// Answers that need more than writing them: the attempt of a delivery, and a replay, which is followed to its end.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json } from './back-office.ts'
import type { Given } from '../command.ts'

const POLL_MS = 500

/** Says what a call did that answers nothing. */
export async function showEnded(_answer: Json, { output }: Given): Promise<number> {
  output.one({ ended: true })
  return 0
}

/** Returns 0 where the receiver accepted the event. */
export async function showAttempt(attempt: Json, { output }: Given): Promise<number> {
  output.one(attempt)
  return wasAccepted(attempt) ? 0 : 1
}

/** Whether a receiver answered 2xx. */
export function wasAccepted({ status }: Json): boolean {
  return typeof status === 'number' && status >= 200 && status <= 299
}

/** The replay runs in the product and goes on when this program ends. A preview is shown as it is. */
export async function followReplay(begun: Json, { output, office }: Given, path: string): Promise<number> {
  if (begun.object === 'replay_preview') {
    output.one(begun)
    return 0
  }
  let replay = begun
  const isWatched = process.stderr.isTTY
  while (replay.status === 'running') {
    if (isWatched) process.stderr.write(`\r${String(replay.queued)} of ${String(replay.count)} queued `)
    await sleep(POLL_MS)
    replay = await office().call('GET', `${path}s/${String(begun.id)}`)
  }
  if (isWatched) process.stderr.write('\r\u001b[K')
  output.one(replay)
  return replay.status === 'completed' ? 0 : 1
}
