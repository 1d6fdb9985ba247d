// The whole product for a test: every service on a fresh database and free ports, in one process or each with a broker of its own over
// real NATS. Data is created through the back office; every public response is compared with the OpenAPI document.
import { randomUUID } from 'node:crypto'
import { readConfig } from '#config/config'
import type { ServiceDefinition, Settings } from '#runtime/service'
import { openLog } from '#telemetry/log'
import { type RunningProcess, startProcess } from '#runtime/process'
import { traceFieldsOf } from '#telemetry/trace-context'
import { services } from '../../deploy/services.ts'
import { type BackOffice, openBackOffice } from './back-office.ts'
import { createDatabase } from '../database.ts'
import { type Form, openBus } from './deployment-forms.ts'
import { type Answer, exchange } from './http.ts'
import { type Mcp, openMcp } from './mcp.ts'
import { openPromises, type Promised } from '../schemas/openapi-check.ts'

export const ADMIN_TOKEN = 'an-operator-token-for-tests-only'
export const SECRET_KEY = 'a secret of at least 32 characters.'

type StackOptions = {
  form: Form
  replicas?: Record<string, number>
  env?: Record<string, string>
  webhookAllowedOrigin?: string
}
/** `gateway` is the replica of the public gateway, from 0. `json` is sent as JSON, `body` as it is. */
export type RequestOptions = {
  key?: string | null
  headers?: Record<string, string>
  gateway?: number
  json?: unknown
  body?: string | Buffer
}

export type Stack = BackOffice & {
  form: Form
  ports: number[]
  adminPorts: number[]
  /** The MCP endpoint: in one process on the port of REST, else on ports of its own. */
  mcpPorts: number[]
  mcp: Mcp
  databaseUrl: string
  /** NATS_URL of each service, and the namespace of the brokers; null in one process. */
  bus: { serversOf(service: string): string[]; namespace: string } | null
  /** The running processes of a service; in one process every name returns the same one. */
  running(service: string): RunningProcess[]
  /** Every log line so far. */
  logged(): string
  get(target: string, options?: RequestOptions): Promise<Answer>
  post(target: string, options?: RequestOptions): Promise<Answer>
  ask(method: string, target: string, options?: RequestOptions): Promise<Answer>
  stop(): Promise<void>
}

export async function openStack({ form, replicas = {}, env = {}, webhookAllowedOrigin }: StackOptions): Promise<Stack> {
  const database = await createDatabase()
  const namespace = `test-${randomUUID()}`
  const bus = form === 'distributed' ? await openBus(namespace) : null
  const settings = { ...settingsOf({ ...env, DATABASE_URL: database.url }), webhookAllowedOrigin }
  const lines: string[] = []
  const log = openLog('info', 'test', { write: (line) => lines.push(line) }, traceFieldsOf(settings))
  const pieces =
    form === 'one-process' ? [services] : services.flatMap((service) => copies(service, replicas[service.name]))
  // A process has its own login on the bus, and so settings of its own.
  const started = pieces.map((piece) => {
    const own = { ...settings, natsServers: bus?.serversOf(piece[0]?.name ?? '') ?? null }
    return { own, process: startProcess({ services: piece, settings: own, log, namespace }) }
  })
  const running = await Promise.all(started.map(({ process }) => process))

  const portsOf = (name: string) => running.flatMap((piece) => piece.ports[name] ?? [])
  const ports = portsOf('rest-gateway')
  const adminPorts = portsOf('admin-gateway')
  const mcpPorts = portsOf('mcp-gateway')
  // PUBLIC_URL, which a deployment sets for all processes, is known only now.
  if (env.PUBLIC_URL === undefined) for (const { own } of started) own.publicUrl = `http://127.0.0.1:${at(ports, 0)}`
  const promised = await promisesOf(ports)
  const ask: Stack['ask'] = async (method, target, { key = null, headers = {}, gateway = 0, json, body } = {}) => {
    const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` }
    const type: Record<string, string> = json === undefined ? {} : { 'content-type': 'application/json' }
    const content = json === undefined ? body : JSON.stringify(json)
    const sent = { method, headers: { ...authorization, ...type, ...headers }, body: content }
    const answer = await exchange(at(ports, gateway), target, sent)
    promised(method, target, answer)
    return answer
  }
  return {
    ...openBackOffice(at(adminPorts, 0), ADMIN_TOKEN),
    form,
    ports,
    adminPorts,
    mcpPorts,
    mcp: openMcp(mcpPorts),
    databaseUrl: database.url,
    bus: bus === null ? null : { serversOf: bus.serversOf, namespace },
    running: (name) => running.filter((_piece, index) => pieces[index]?.some((service) => service.name === name)),
    logged: () => lines.join(''),
    get: (target, how) => ask('GET', target, how),
    post: (target, how) => ask('POST', target, how),
    ask,
    async stop() {
      for (const piece of running.toReversed()) await piece.stop() // Gateways first: they give their leases back.
      await bus?.stop()
      await database.drop()
    },
  }
}

function settingsOf(env: Record<string, string>): Settings {
  const config = readConfig(
    { PORT: '0', ADMIN_PORT: '0', OPS_PORT: '0', DEMO: 'false', ADMIN_TOKEN, ...env },
    'embedded',
  )
  return { ...config, secretKey: SECRET_KEY }
}

function copies(service: ServiceDefinition, count = 1): ServiceDefinition[][] {
  return Array.from({ length: count }, () => [service])
}

async function promisesOf(ports: number[]): Promise<Promised> {
  const { body } = await exchange(at(ports, 0), '/openapi.json')
  return openPromises(body)
}

function at(ports: number[], index: number): number {
  const port = ports[index]
  if (port === undefined) throw new Error(`There is no gateway ${index}.`)
  return port
}
