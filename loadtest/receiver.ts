// The receiver of webhooks for load and fault programs, a process of its own: it writes each request to a log before it
// answers, so that its death loses nothing, verifies the signature as a shop would, by the official package, and behaves
// as it is told, hook by hook. `node loadtest/receiver.ts <port, 0 for any> <log file>`, started by receivers.ts.
import { createHash } from 'node:crypto'
import { openSync, writeSync } from 'node:fs'
import { Webhook } from 'standardwebhooks'
import {
  drip,
  flood,
  hang,
  openReceiver,
  type Received,
  type Reply,
  reset,
  type Respond,
} from '#testing/servers/receiver'

/**
 * `flap` fails that part of the requests with a 500, `once` answers so one time and with 200 from then on, `die` answers
 * 200 and ends the process.
 */
export type Behaviour =
  | { kind: 'answer' | 'once'; status: number; headers?: Record<string, string>; afterMs?: number }
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
const well: Behaviour = { kind: 'answer', status: 200 }
const misbehaviours: Record<'hang' | 'drip' | 'flood' | 'reset' | 'die', Respond> = {
  ...{ hang, drip, flood, reset },
  die: (response) => response.end(() => process.kill(process.pid, 'SIGKILL')),
}

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
    const behaviour = behaviours.get(hook) ?? well
    if (behaviour.kind === 'once') behaviours.set(hook, well)
    const reply = replyTo(behaviour)
    record(hook, received, 'status' in reply ? Number(reply.status) : behaviour.kind)
    return reply
  })
  process.send?.(receiver.port)
}

function replyTo(behaviour: Behaviour): Reply {
  if ('status' in behaviour) return behaviour
  if (behaviour.kind === 'flap') return { status: Math.random() < behaviour.part ? 500 : 200 }
  return misbehaviours[behaviour.kind]
}

function record(hook: string, { headers, body }: Received, answer: number | string): void {
  const arrival: Arrival = {
    ...{ at: Date.now(), hook, id: headers['webhook-id'] ?? '', attempt: Number(headers['service-attempt']) },
    sum: createHash('sha256').update(body).digest('hex'),
    isVerified: (signers.get(hook) ?? []).some((signer) => verifies(signer, body, headers)),
    // A dripping body, a flood and a death follow a 200.
    answer: answer === 'drip' || answer === 'flood' || answer === 'die' ? 200 : answer,
  }
  writeSync(log, `${JSON.stringify(arrival)}\n`)
}

function verifies(signer: Webhook, body: string, headers: Record<string, string>): boolean {
  try {
    signer.verify(body, headers)
    return true
  } catch {
    return false // Another secret may verify it.
  }
}
