// Owns the connection to the bus as this process sees it: how to reach NATS, and what happens while it is away.
// Moleculer does not notice that NATS is gone; calls would wait for their time limits one by one. Here calls fail at once
// while it is away, those under way included, since their answers will not come any more; readiness says so; and when it is
// back, every node asks who else is there instead of waiting for heartbeats. design/speed.md 2.3, 3.1.4.
import type { ServiceBroker } from 'moleculer'
import type { NatsConnection, Subscription } from 'nats'
import { refuse } from '#contracts/errors'
import type { Log } from '#telemetry/log'
import type { Metrics } from '#telemetry/metrics'

export type Bus = {
  /** Why it cannot be used now, or null. */
  problem(): string | null
  /** Begins to hear why it cannot be reached; the broker is about to start. */
  hearFailures(broker: ServiceBroker): void
  /** The answer of a call, or a refusal as soon as the bus is lost. */
  whileConnected<Answer>(call: () => Promise<Answer>): Promise<Answer>
  /** Begins watching; the broker has started. */
  watch(broker: ServiceBroker): void
}

/** The parts of Moleculer's transporter for NATS that are used here. */
type Transporter = {
  client?: NatsConnection
  subscriptions: Subscription[]
  unsubscribeFromBalancedCommands(): Promise<void>
}

const AWAY = 'the bus is not connected'
const loginRefusals = [
  ...['AUTHORIZATION_VIOLATION', 'AUTHENTICATION_EXPIRED', 'AUTHENTICATION_TIMEOUT', 'BAD_AUTHENTICATION'],
  'ACCOUNT_EXPIRED',
]

/** The bus of one process; where all calls stay inside (`hasBus` false) nothing is watched. */
export function openBus(hasBus: boolean, metrics: Metrics, log: Log): Bus {
  if (!hasBus) {
    const nothing = () => undefined
    return { problem: () => null, hearFailures: nothing, whileConnected: (call) => call(), watch: nothing }
  }
  const underWay = new Set<(reason: Error) => void>()
  let isConnected = false
  let why = ''
  const connected = (yes: boolean) => {
    isConnected = yes
    metrics.bus.set(yes ? 1 : 0)
  }
  connected(false)
  const problem = () => (isConnected ? null : why === '' ? AWAY : `${AWAY}: ${why}`)

  // Codes are told and never words: those of others may hold an address with its login.
  function fail(code: unknown): void {
    const told = loginRefusals.includes(String(code)) ? 'NATS refuses the login of NATS_URL' : String(code)
    if (!/^[\w ]+$/.test(told) || told === why) return
    why = told
    log.warn(`${AWAY}: ${why}`)
  }

  function lose(): void {
    if (!isConnected) return
    why = ''
    connected(false)
    log.warn(`${AWAY}; calls are refused until it is back`)
    const lost = away()
    for (const reject of underWay) reject(lost)
    underWay.clear()
  }

  function regain(broker: ServiceBroker): void {
    connected(true)
    log.info('the bus is connected again')
    broker.transit?.discoverNodes().catch((error: unknown) => log.warn({ error }, 'other nodes could not be asked for'))
  }

  async function hear(broker: ServiceBroker, client: NatsConnection): Promise<void> {
    for await (const { type, data } of client.status()) {
      if (type === 'disconnect') lose()
      if (type === 'error' && typeof data === 'string' && loginRefusals.includes(data)) fail(data)
      if (type === 'reconnect') regain(broker)
    }
    lose() // Closed: by the end of the process, or for good.
  }

  // Moleculer would drop its subscriptions at once, and with them the calls that NATS has already chosen this process for.
  // Draining says goodbye first and still answers what was sent before NATS heard it.
  async function leave(tx: Transporter): Promise<void> {
    const left = tx.subscriptions
    tx.subscriptions = []
    if (isConnected) await Promise.all(left.map((subscription) => subscription.drain()))
    else for (const subscription of left) subscription.unsubscribe()
  }

  return {
    problem,
    hearFailures(broker) {
      const hearOne = ({ error }: { error: { code?: unknown } }) => fail(error.code)
      broker.localBus.on('$transporter.error', hearOne)
    },
    whileConnected(call) {
      if (!isConnected) return Promise.reject(away())
      return new Promise((resolve, reject) => {
        underWay.add(reject)
        const settle = () => underWay.delete(reject)
        call().then(
          (answer) => {
            settle()
            resolve(answer)
          },
          (error: Error) => {
            settle()
            reject(error)
          },
        )
      })
    },
    watch(broker) {
      const tx = broker.transit?.tx as unknown as Transporter | undefined
      const client = tx?.client
      if (tx === undefined || client === undefined) throw new Error('The broker has no connection to NATS.')
      tx.unsubscribeFromBalancedCommands = () => leave(tx)
      connected(true)
      hear(broker, client).catch((error: unknown) => log.error({ error }, 'the bus is not watched any more'))
    },
  }
}

function away(): Error {
  return refuse('unavailable', 'The bus is not connected.', { retry_after_s: 1 })
}

/**
 * What nats.js wants to know of servers given as URLs: it reads neither the login of a URL nor its scheme. A login that is
 * refused is tried again and again: it may be on its way to the servers.
 */
export function natsServers(servers: string[]) {
  const urls = servers.map((server) => new URL(server.includes('://') ? server : `nats://${server}`))
  const [first] = urls
  const user = decodeURIComponent(first?.username ?? '')
  const pass = decodeURIComponent(first?.password ?? '')
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port === '' ? '4222' : port}`),
    ...(user === '' ? {} : { ...(pass === '' ? { token: user } : { user, pass }), ignoreAuthErrorAbort: true }),
    ...(urls.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}),
  }
}
