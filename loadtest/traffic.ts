// The traffic of load and fault programs. Streams send at a steady rate and repeat nothing: what fails here failed for a client. Callers
// send one command after the other and repeat each under its Idempotency-Key, over the deaths of processes, until the answer is definite,
// as a checkout does. operations.ts has what is sent.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Client, Command } from './client.ts'

/** What is sent so many times a second; `mark` is to be in what a write writes. `judge` returns `ok` or what is wrong with a response. */
export type Stream = { kind: string; perSecond: number; next(mark: string): Command; judge?(answer: Answer): string }
/**
 * `outcome` is `ok`, a status such as `503`, `reset`, `timeout`, `refused`, or what was wrong with the response; `id` is that of the
 * answered object, `via` the URL of the gateway.
 */
export type Call = { kind: string; at: number; ms: number; outcome: string; mark: string; id: string; via: string }
export type Traffic = {
  /** The calls that ended. */
  calls: Call[]
  /** When the oldest call began that has no response yet; now where there is none. */
  answeredUntil(): number
  /** So many calls of the first stream at once, beside the steady ones. */
  burst(count: number): void
  /** Resolves when every call has ended. */
  stop(): Promise<void>
}
/** A command with its definite answer, when that came, and how often the command was sent. */
export type Answered<Sent extends Command> = Sent & { mark: string; answer: Answer; at: number; sent: number }
export type Callers<Sent extends Command> = {
  answered: Answered<Sent>[]
  /** Resolves after so many further answers. */
  more(count: number): Promise<void>
  stop(): Promise<void>
}

const TICK_MS = 10
const CAUGHT_UP_MS = 250
const WAIT_MS = 20

/** Sends all streams until stopped; `ended` is called with each call. */
export function startTraffic(client: Client, streams: Stream[], ended?: (call: Call) => void): Traffic {
  const calls: Call[] = []
  const underWay = new Map<Promise<void>, number>()
  const owed = streams.map(() => 0)
  let last = performance.now()
  // By the clock, since a busy machine skips ticks; what a longer stall held back is not sent at once, which would be another load.
  const timer = setInterval(() => {
    const s = Math.min(performance.now() - last, CAUGHT_UP_MS) / 1_000
    last = performance.now()
    for (const [index, stream] of streams.entries()) {
      let count = (owed[index] ?? 0) + s * stream.perSecond
      for (; count >= 1; count -= 1) begin(stream)
      owed[index] = count
    }
  }, TICK_MS)

  function begin(stream: Stream): void {
    const call = measure(stream)
    underWay.set(call, Date.now())
    void call.finally(() => underWay.delete(call))
  }

  async function measure({ kind, next, judge = statusOf }: Stream): Promise<void> {
    const [mark, at, start] = [randomUUID(), Date.now(), performance.now()]
    const { outcome, id, via } = await client.send(next(mark)).then(
      (answer) => ({ outcome: judge(answer), id: String(answer.data.id), via: answer.via }),
      ({ message, via: gateway }) => ({ outcome: String(message), id: '', via: String(gateway) }),
    )
    const call = { kind, at, ms: performance.now() - start, outcome, mark, id, via }
    calls.push(call)
    ended?.(call)
  }

  return {
    calls,
    answeredUntil: () => Math.min(Date.now(), ...underWay.values()),
    burst(count) {
      const [first] = streams
      for (let index = 0; first !== undefined && index < count; index += 1) begin(first)
    },
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay.keys())
    },
  }
}

function statusOf({ status }: Answer): string {
  return status < 300 ? 'ok' : String(status)
}

/** Starts so many callers; `learn` is called with each answer before its caller goes on. */
export function startCallers<Sent extends Command>(
  client: Client,
  count: number,
  next: (mark: string) => Sent,
  learn: (answered: Answered<Sent>) => void = () => undefined,
): Callers<Sent> {
  const answered: Answered<Sent>[] = []
  let isStopped = false

  const loops = Array.from({ length: count }, async () => {
    while (!isStopped) {
      const mark = randomUUID()
      const command = next(mark)
      let sent = 1
      let answer = await sendUnder(client, command, mark)
      for (; answer === null; sent += 1) {
        await sleep(WAIT_MS)
        answer = await sendUnder(client, command, mark)
      }
      const one = { ...command, mark, answer, sent, at: Date.now() }
      answered.push(one)
      learn(one)
    }
  })
  return {
    answered,
    async more(wanted) {
      for (const end = answered.length + wanted; answered.length < end; ) await Promise.race([sleep(WAIT_MS), ...loops])
    },
    async stop() {
      isStopped = true
      await Promise.all(loops)
    },
  }
}

/** The definite answer to a command under this key and request id; null where there is no answer, or a failure of the server. */
export async function sendUnder(client: Client, command: Command, key: string): Promise<Answer | null> {
  const headers = { 'idempotency-key': key, 'x-request-id': key }
  const answer = await client.send({ ...command, headers }).catch(() => null)
  return answer === null || answer.status >= 500 ? null : answer
}
