// Owns the environment: the one file that reads its variables (run.md, Environment). A wrong or unknown value stops the
// start with one line that names it, says what it is for and what is allowed; the value of a secret is never shown.
// A secret may stand in a file instead, which NAME_FILE names. Nothing is made or written: what is null here the start
// fills in.
import { readSecretFile } from './secret-file.ts'
import { isInjected, meantSetting } from './setting-names.ts'
import * as values from './setting-values.ts'
import { type SettingName, settings } from './settings.ts'

/** `embedded` is the whole product in one process, `service` is one process of the distributed form. */
export type Mode = 'embedded' | 'service'

export type Config = {
  mode: Mode
  /** 0 = any free port; then `publicUrl` is right only after the start has put the real port in. */
  port: number
  adminPort: number
  opsPort: number
  publicUrl: string
  adminToken: string | null
  databaseUrl: string | null
  natsServers: string[] | null
  dataDir: string
  secretKey: string | null
  secretKeyPrevious: string | null
  smtpUrl: string | null
  trustedProxies: string[]
  requestsPerMinute: number
  authFailuresPerMinute: number
  webhookAllowPrivate: boolean
  webhookRetryS: number[]
  demo: boolean
  logLevel: values.LogLevel
  /** Where spans go, or null: nothing is traced. */
  tracing: TracingConfig | null
}
/** `ratio` counts for samplers that take a part of the traces. */
export type TracingConfig = {
  endpoint: string
  headers: Record<string, string>
  sampler: values.Sampler
  ratio: number
}

/** A service always has a bus and a key. */
export type ServiceConfig = Config & { natsServers: string[]; secretKey: string }

/** What a service needs beyond the bus and the key: gateways no database, only the admin gateway its token. */
export type Needs = { database: boolean; adminToken: boolean }

// Twelve attempts, so eleven waits (states-and-events.md 4.3).
const defaultWaitsS = [5, 30, 120, 600, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]

/** Reads and checks every variable; throws an Error whose message is one line. `needs` counts in service mode only. */
export function readConfig(env: NodeJS.ProcessEnv, mode: 'service', needs?: Partial<Needs>): ServiceConfig
export function readConfig(env: NodeJS.ProcessEnv, mode: Mode, needs?: Partial<Needs>): Config
export function readConfig(env: NodeJS.ProcessEnv, mode: Mode, needs: Partial<Needs> = {}): Config {
  refuseUnknown(env)
  const read = readerOf(env)
  const port = read('PORT', values.port) ?? 3000
  const config: Config = {
    mode,
    port,
    adminPort: read('ADMIN_PORT', values.port) ?? 3100,
    opsPort: read('OPS_PORT', values.port) ?? 9100,
    publicUrl: read('PUBLIC_URL', values.origin) ?? `http://127.0.0.1:${port}`,
    adminToken: read('ADMIN_TOKEN', values.token),
    databaseUrl: read('DATABASE_URL', values.databaseUrl),
    natsServers: read('NATS_URL', values.natsServers),
    dataDir: read('DATA_DIR', values.folder) ?? '.data',
    secretKey: read('SECRET_KEY', values.longSecret),
    secretKeyPrevious: read('SECRET_KEY_PREVIOUS', values.longSecret),
    smtpUrl: read('SMTP_URL', values.smtpUrl),
    trustedProxies: read('TRUSTED_PROXIES', values.addressRanges) ?? [],
    requestsPerMinute: read('REQUESTS_PER_MINUTE', values.budget) ?? 240,
    authFailuresPerMinute: read('AUTH_FAILURES_PER_MINUTE', values.budget) ?? 30,
    webhookAllowPrivate: read('WEBHOOK_ALLOW_PRIVATE', values.flag) ?? false,
    webhookRetryS: read('WEBHOOK_RETRY_SECONDS', values.waits) ?? [...defaultWaitsS],
    demo: read('DEMO', values.flag) ?? mode === 'embedded',
    logLevel: read('LOG_LEVEL', values.logLevel) ?? 'info',
    tracing: readTracing(read),
  }
  if (mode === 'service') requireGiven(config, needs)
  else refuseSharedPort(config)
  return config
}

/** The settings as the README shows them: name, default, meaning. */
export function describeSettings(): { name: string; default: string; meaning: string }[] {
  return names().map((name) => ({ name, default: settings[name].fallback, meaning: settings[name].meaning }))
}

type Read = <Value>(name: SettingName, parse: (text: string) => Value | undefined) => Value | null

function readerOf(env: NodeJS.ProcessEnv): Read {
  return (name, parse) => {
    const text = textOf(env, name)
    if (text === '' || isInjected(name, text)) return null
    const value = parse(text)
    if (value !== undefined) return value
    const shown = settings[name].secret ? 'not allowed' : JSON.stringify(text.slice(0, 80))
    throw new Error(`${name} is ${shown}, but must be ${settings[name].allowed} (${settings[name].meaning}).`)
  }
}

function textOf(env: NodeJS.ProcessEnv, name: SettingName): string {
  const given = env[name]?.trim() ?? ''
  const file = settings[name].secret ? (env[fileName(name)]?.trim() ?? '') : ''
  if (file === '') return given
  if (given !== '') throw new Error(`${name} and ${fileName(name)} are both set, but only one of them may be.`)
  return readSecretFile(fileName(name), file)
}

// Everything is read, so that a wrong value is found also where nothing is traced yet.
function readTracing(read: Read): TracingConfig | null {
  const endpoint = read('OTEL_EXPORTER_OTLP_ENDPOINT', values.collectorUrl)
  const headers = read('OTEL_EXPORTER_OTLP_HEADERS', values.headerPairs) ?? {}
  const sampler = read('OTEL_TRACES_SAMPLER', values.sampler) ?? 'parentbased_always_on'
  const ratio = read('OTEL_TRACES_SAMPLER_ARG', values.ratio) ?? 1
  return endpoint === null ? null : { endpoint, headers, sampler, ratio }
}

function refuseUnknown(env: NodeJS.ProcessEnv): void {
  const known = names()
  const files = known.filter((name) => settings[name].secret).map(fileName)
  const own = new Set<string>([...known, ...files])
  for (const [name, value = ''] of Object.entries(env)) {
    if (own.has(name) || value.trim() === '' || isInjected(name, value)) continue
    const meant = meantSetting(name, known, files)
    if (meant !== null) throw new Error(`${name} is not a setting; did you mean ${meant}?`)
  }
}

function requireGiven(config: Config, needs: Partial<Needs>): void {
  const { database = false, adminToken = false } = needs
  const missing: SettingName[] = []
  if (config.natsServers === null) missing.push('NATS_URL')
  if (config.secretKey === null) missing.push('SECRET_KEY')
  if (database && config.databaseUrl === null) missing.push('DATABASE_URL')
  if (adminToken && config.adminToken === null) missing.push('ADMIN_TOKEN')
  const [first] = missing
  if (first === undefined) return
  throw new Error(`${first} is not set, but must be ${settings[first].allowed} (${settings[first].meaning}).`)
}

// In one process all three listen at once; as single services each has a process of its own.
function refuseSharedPort(config: Config): void {
  const ports = { PORT: config.port, ADMIN_PORT: config.adminPort, OPS_PORT: config.opsPort }
  const taken = new Map<number, string>()
  for (const [name, port] of Object.entries(ports)) {
    const other = taken.get(port)
    if (port !== 0 && other !== undefined) {
      throw new Error(`${name} is ${port}, which is also ${other}; each needs a port of its own.`)
    }
    taken.set(port, name)
  }
}

function fileName(name: SettingName): string {
  return `${name}_FILE`
}

function names(): SettingName[] {
  return Object.keys(settings) as SettingName[]
}
