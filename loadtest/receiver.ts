// The receiver of webhooks for load and fault programs: it records each request before it answers, verifies the signature as a shop would,
// by the official package, and behaves as each endpoint says. When it dies its connections end, and its address is closed until
// it is started again.
import { createHash } from 'node:crypto'
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
import type { Client, Shop } from './client.ts'
import { word } from './program.ts'

/**
 * `flap` fails that part of the requests with a 500, `once` answers so one time and with 200 from then on, `die` answers
 * 200 and kills the receiver.
 */
export type Behaviour =
  | { kind: 'answer' | 'once'; status: number; headers?: Record<string, string>; afterMs?: number }
  | { kind: 'flap'; part: number }
  | { kind: 'hang' | 'drip' | 'flood' | 'reset' | 'die' }
/** A webhook endpoint; `hooks` are the paths at which it listens and has listened, `secrets` those by which it verifies now. */
export type Endpoint = { id: string; shop: Shop; hooks: [string, ...string[]]; secrets: string[]; behaviour: Behaviour }
/** `at` in milliseconds since the epoch; `sum` is the SHA-256 of the body; `answer` the status, or the kind of misbehaviour. */
export type Arrival = {
  at: number
  hook: string
  endpoint: Endpoint | undefined
  id: string
  attempt: number
  sum: string
  isVerified: boolean
  answer: number | string
}
export type Receiver = {
  /** The requests since the last mark of the judge, in their order. */
  arrivals: Arrival[]
  url(hook: string): string
  /** Makes an endpoint of the shop at a hook of its own. */
  makeEndpoint(client: Client, shop: Shop): Promise<Endpoint>
  /** Resolves when it is dead. */
  gone(): Promise<void>
  kill(): Promise<void>
  /** Starts it again at its address. */
  start(): Promise<void>
}

export const well = { kind: 'answer', status: 200 } satisfies Behaviour

/** Listens on the loopback. */
export async function startReceiver(): Promise<Receiver> {
  const arrivals: Arrival[] = []
  const endpoints: Endpoint[] = []
  let server = await openReceiver()
  const { port } = server
  let death = Promise.withResolvers<void>()
  server.answer(answer)

  async function start(): Promise<void> {
    death = Promise.withResolvers<void>()
    server = await openReceiver({ port })
    server.answer(answer)
  }

  async function kill(victim = server): Promise<void> {
    await victim.close()
    if (victim === server) death.resolve()
  }

  function answer(received: Received): Reply {
    server.received.length = 0 // `arrivals` has them.
    const hook = received.path.slice('/hook/'.length)
    const endpoint = endpoints.find(({ hooks }) => hooks.includes(hook))
    const behaviour = endpoint?.behaviour ?? well
    if (endpoint !== undefined && behaviour.kind === 'once') endpoint.behaviour = well
    const reply = replyTo(behaviour)
    // A dripping body, a flood and a death follow a 200.
    const isBroken = behaviour.kind === 'hang' || behaviour.kind === 'reset'
    const said = 'status' in reply ? Number(reply.status) : isBroken ? behaviour.kind : 200
    arrivals.push({ ...arrivalOf(received, endpoint), hook, endpoint, answer: said })
    return reply
  }

  function replyTo(behaviour: Behaviour): Reply {
    if ('status' in behaviour) return behaviour
    if (behaviour.kind === 'flap') return { status: Math.random() < behaviour.part ? 500 : 200 }
    const victim = server
    const die: Respond = (response) => response.end(() => void kill(victim))
    return { hang, drip, flood, reset, die }[behaviour.kind]
  }

  async function makeEndpoint(client: Client, shop: Shop): Promise<Endpoint> {
    const endpoint: Endpoint = { id: '', shop, hooks: [word()], secrets: [], behaviour: well }
    endpoints.push(endpoint)
    const path = `/shops/${shop.handle}/webhook-endpoints`
    const { id, secret } = await client.call('POST', path, { url: url(endpoint.hooks[0]) })
    return Object.assign(endpoint, { id: String(id), secrets: [String(secret)] })
  }

  const url = (hook: string) => `http://127.0.0.1:${port}/hook/${hook}`
  return { arrivals, url, makeEndpoint, gone: () => death.promise, kill: () => kill(), start }
}

function arrivalOf({ headers, body }: Received, endpoint: Endpoint | undefined) {
  return {
    at: Date.now(),
    id: headers['webhook-id'] ?? '',
    attempt: Number(headers['service-attempt']),
    sum: createHash('sha256').update(body).digest('hex'),
    isVerified: endpoint?.secrets.some((secret) => verifies(secret, body, headers)) ?? false,
  }
}

function verifies(secret: string, body: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch {
    return false // Another secret may verify it.
  }
}
