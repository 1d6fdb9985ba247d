// Owns the receiver of the webhook faults, a process of its own: it notes each request in a file before it answers, so that
// its death loses nothing, verifies it as a shop would, by the official package, and behaves as it is told, hook by hook.
// `node loadtest/webhook-fault-sink.ts <port, 0 for any> <log file>`, started by webhook-fault-receiver.ts.
import { createHash } from 'node:crypto'
import { openSync, writeSync } from 'node:fs'
import { Webhook } from 'standardwebhooks'
import { drip, flood, hang, openReceiver, type Received, type Reply, reset } from '#testing/receiver'

/**
 * `flap` fails that part of the requests with a 500, `once` answers so one time and well from then on, `die` answers 200 and
 * ends the process.
 */
export type Behaviour =
  | { kind: 'answer'; status: number; headers?: Record<string, string>; afterMs?: number }
  | { kind: 'once'; status: number; headers?: Record<string, string> }
  | { kind: 'flap'; part: number }
  | { kind: 'hang' | 'drip' | 'flood' | 'reset' | 'die' }
/** Told by the parent: in the first message all that it knows, later what is new. */
export type Told = { hook: string; behaviour: Behaviour } | { hook: string; secrets: string[] }
/** `at` in milliseconds since the epoch. `answer`: the status, or how else it was treated. */
export type Arrival = {
  at: number
  hook: string
  id: string
  attempt: number
  reason: string
  sum: string
  isVerified: boolean
  answer: number | string
}

const [wantedPort = '0', path = ''] = process.argv.slice(2)
const file = openSync(path, 'a')
const behaviours = new Map<string, Behaviour>()
const signers = new Map<string, Webhook[]>()
const badly = { hang, drip, flood, reset }

let isListening = false
process.on('message', (told: Told[]) => {
  for (const one of told) take(one)
  if (isListening) return
  isListening = true // Not before: who came before the secrets are known could not be verified.
  void listen()
})
process.on('disconnect', () => process.exit(0))
process.send?.('up')

function take(told: Told): void {
  if ('behaviour' in told) return void behaviours.set(told.hook, told.behaviour)
  signers.set(
    told.hook,
    told.secrets.map((secret) => new Webhook(secret)),
  )
}

async function listen(): Promise<void> {
  const receiver = await openReceiver({ port: Number(wantedPort) })
  receiver.answer((received) => {
    receiver.received.length = 0 // The file remembers.
    const hook = received.path.slice('/hook/'.length)
    const behaviour = settled(hook, behaviours.get(hook) ?? { kind: 'answer', status: 200 })
    note(hook, received, behaviour)
    return replyOf(behaviour)
  })
  process.send?.(receiver.port)
}

function settled(hook: string, behaviour: Behaviour): Behaviour {
  if (behaviour.kind === 'flap') return { kind: 'answer', status: Math.random() < behaviour.part ? 500 : 200 }
  if (behaviour.kind !== 'once') return behaviour
  behaviours.delete(hook)
  return { ...behaviour, kind: 'answer' }
}

function note(hook: string, { headers, body }: Received, behaviour: Behaviour): void {
  const arrival: Arrival = {
    at: Date.now(),
    hook,
    id: headers['webhook-id'] ?? '',
    attempt: Number(headers['service-attempt']),
    reason: headers['service-reason'] ?? '',
    sum: createHash('sha256').update(body).digest('hex'),
    isVerified: (signers.get(hook) ?? []).some((signer) => verifies(signer, body, headers)),
    answer: answerOf(behaviour),
  }
  writeSync(file, `${JSON.stringify(arrival)}\n`)
}

// A dripping body and a flood follow a 200; a death follows one as well.
function answerOf(behaviour: Behaviour): number | string {
  if (behaviour.kind === 'answer') return behaviour.status
  return behaviour.kind === 'hang' || behaviour.kind === 'reset' ? behaviour.kind : 200
}

function verifies(signer: Webhook, body: string, headers: Record<string, string>): boolean {
  try {
    signer.verify(body, headers)
    return true
  } catch {
    return false // Another secret may do.
  }
}

function replyOf(behaviour: Behaviour): Reply {
  if (behaviour.kind === 'answer') return behaviour
  if (behaviour.kind === 'die') return die
  if (behaviour.kind === 'once' || behaviour.kind === 'flap') return {} // Settled before.
  return badly[behaviour.kind]
}

function die(response: { end(done: () => void): void }): void {
  response.end(() => process.kill(process.pid, 'SIGKILL'))
}
