// The receiver of webhooks for load and fault programs, a process of its own: it writes each request to a log before it
// answers, so that its death loses nothing, verifies the signature as a shop would, by the official package, and behaves
// as it is told, hook by hook. `node loadtest/receiver.ts <port, 0 for any> <log file>`, started by receiver-process.ts.
import { createHash } from 'node:crypto'
import { openSync, writeSync } from 'node:fs'
import { Webhook } from 'standardwebhooks'
import { drip, flood, hang, openReceiver, type Received, type Reply, reset } from '#testing/servers/receiver'

/**
 * `flap` fails that part of the requests with a 500, `once` answers so one time and with 200 from then on, `die` answers
 * 200 and ends the process.
 */
export type Behaviour =
  | { kind: 'answer'; status: number; headers?: Record<string, string>; afterMs?: number }
  | { kind: 'once'; status: number; headers?: Record<string, string> }
  | { kind: 'flap'; part: number }
  | { kind: 'hang' | 'drip' | 'flood' | 'reset' | 'die' }
/** Told by the parent: in the first message everything, later what is new. */
export type Told = { hook: string; behaviour: Behaviour } | { hook: string; secrets: string[] }
/** `at` in milliseconds since the epoch; `sum` is the SHA-256 of the body; `answer` the status, or the kind of misbehaviour. */
export type Arrival = {
  at: number
  hook: string
  id: string
  attempt: number
  sum: string
  isVerified: boolean
  answer: number | string
}

const [wantedPort = '0', path = ''] = process.argv.slice(2)
const log = openSync(path, 'a')
const behaviours = new Map<string, Behaviour>()
const signers = new Map<string, Webhook[]>()
const misbehaviours = { hang, drip, flood, reset }

let isListening = false
process.on('message', (told: Told[]) => {
  for (const one of told) {
    if ('behaviour' in one) behaviours.set(one.hook, one.behaviour)
    else
      signers.set(
        one.hook,
        one.secrets.map((secret) => new Webhook(secret)),
      )
  }
  if (isListening) return
  isListening = true // Not before: a request that comes before the secrets are known could not be verified.
  void listen()
})
process.on('disconnect', () => process.exit(0))
process.send?.('up')

async function listen(): Promise<void> {
  const receiver = await openReceiver({ port: Number(wantedPort) })
  receiver.answer((received) => {
    receiver.received.length = 0 // The log has them.
    const hook = received.path.slice('/hook/'.length)
    const behaviour = resolve(hook, behaviours.get(hook) ?? { kind: 'answer', status: 200 })
    record(hook, received, behaviour)
    return replyOf(behaviour)
  })
  process.send?.(receiver.port)
}

function resolve(hook: string, behaviour: Behaviour): Behaviour {
  if (behaviour.kind === 'flap') return { kind: 'answer', status: Math.random() < behaviour.part ? 500 : 200 }
  if (behaviour.kind !== 'once') return behaviour
  behaviours.delete(hook)
  return { ...behaviour, kind: 'answer' }
}

function record(hook: string, { headers, body }: Received, behaviour: Behaviour): void {
  const arrival: Arrival = {
    ...{ at: Date.now(), hook, id: headers['webhook-id'] ?? '', attempt: Number(headers['service-attempt']) },
    sum: createHash('sha256').update(body).digest('hex'),
    isVerified: (signers.get(hook) ?? []).some((signer) => verifies(signer, body, headers)),
    answer: answerOf(behaviour),
  }
  writeSync(log, `${JSON.stringify(arrival)}\n`)
}

// A dripping body, a flood and a death follow a 200.
function answerOf(behaviour: Behaviour): number | string {
  if (behaviour.kind === 'answer') return behaviour.status
  return behaviour.kind === 'hang' || behaviour.kind === 'reset' ? behaviour.kind : 200
}

function verifies(signer: Webhook, body: string, headers: Record<string, string>): boolean {
  try {
    signer.verify(body, headers)
    return true
  } catch {
    return false // Another secret may verify it.
  }
}

function replyOf(behaviour: Behaviour): Reply {
  switch (behaviour.kind) {
    case 'answer':
      return behaviour
    case 'die':
      return (response) => response.end(() => process.kill(process.pid, 'SIGKILL'))
    case 'once':
    case 'flap':
      return {} // Resolved before.
    default:
      return misbehaviours[behaviour.kind]
  }
}
