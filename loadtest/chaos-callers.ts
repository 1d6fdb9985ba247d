// Owns the callers of the chaos: each makes one command after the other for one shop, and repeats a command under
// its Idempotency-Key, over the deaths of the service, until it hears a definite answer. They count what they were told.
import { randomUUID } from 'node:crypto'
import type { ServiceBroker } from 'moleculer'
import { refusalCode } from '#contracts/errors'
import type { ServiceProcess } from './chaos-process.ts'

export const shop = {
  shopId: '0b5e7a52-5a3f-4c0e-9f43-1f6f4a5f2c11',
  handle: 'chaos',
  currency: 'GBP',
  timeZone: 'Europe/London',
  country: 'GB',
  keyId: null,
  canWrite: true,
}

export type Counts = { done: number; refused: number; repeated: number }
export type Command = { action: string; params: Record<string, unknown> }
/** What is asked next, and what becomes of the answer's object. */
export type Commands = { next(): Command; note(command: Command, object: unknown): void }
export type Callers = {
  /** Settles after so many further definite answers. */
  answered(count: number): Promise<void>
  stop(): Promise<void>
  counts(): Counts
}

const TIMEOUT_MS = 3_000

export function startCallers(
  broker: ServiceBroker,
  count: number,
  commands: Commands,
  service: () => ServiceProcess,
): Callers {
  const tally: Counts = { done: 0, refused: 0, repeated: 0 }
  const waiting: { at: number; reached: () => void }[] = []
  let isStopped = false

  const work = Array.from({ length: count }, async () => {
    while (!isStopped) {
      await untilAnswered(commands.next())
      const answers = tally.done + tally.refused
      for (const one of waiting.filter(({ at }) => at <= answers)) {
        waiting.splice(waiting.indexOf(one), 1)
        one.reached()
      }
    }
  })

  async function untilAnswered(command: Command): Promise<void> {
    const idempotency = { key: randomUUID(), fingerprint: JSON.stringify(command) }
    for (let attempt = 1; ; attempt += 1) {
      if (attempt === 2) tally.repeated += 1
      const { nodeId, gone } = service()
      const options = { nodeID: nodeId, timeout: TIMEOUT_MS, meta: { caller: shop, idempotency } }
      const call = broker.call(command.action, command.params, options)
      call.catch(() => undefined) // When the process dies first, nobody waits for this answer any more.
      try {
        const answer = await Promise.race([call, gone.then(() => null)])
        if (answer !== null) {
          tally.done += 1
          return commands.note(command, JSON.parse(Buffer.from(answer as Uint8Array).toString()).data)
        }
      } catch (error) {
        if (refusalCode(error) === 'conflict' || refusalCode(error) === 'invalid_request') {
          tally.refused += 1
          return
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  return {
    answered: (more) =>
      new Promise((resolve) => waiting.push({ at: tally.done + tally.refused + more, reached: resolve })),
    async stop() {
      isStopped = true
      await Promise.all(work)
    },
    counts: () => tally,
  }
}
