// Every environment variable that the product reads, as one Zod schema, and the configuration made of them:
// docs/spec/running.md#environment. A wrong value stops the start with one line that names the setting, what is allowed and
// what it is for; the value of a secret is never shown.
import { z } from 'zod'
import { agentsAccessOf } from './agents-access.ts'
import { checkBusFiles } from './bus-files.ts'
import { withDatabaseFiles } from './database-files.ts'
import { readSecretFile } from './secret-file.ts'
import { isAtMostOneEdit, isInjected } from './names.ts'
import { openIdOf } from './openid.ts'
import * as values from './values.ts'

/** `embedded`: the whole product in one process. `service`: one process of the distributed form. */
export type Mode = 'embedded' | 'service'
/** What a service requires beyond the bus and the key. */
export type Needs = { database: boolean; adminToken: boolean }
export type Config = ReturnType<typeof configOf>
/** A service always has a bus and a key. */
export type ServiceConfig = Config & { natsServers: string[]; secretKey: string }
export type TracingConfig = NonNullable<Config['tracing']>
export type LogLevel = Config['logLevel']

type Description = { default: string; meaning: string; allowed: string; secret: boolean }
const descriptions = z.registry<Description>()

const generated = 'made on first start in embedded mode; required otherwise'
const environment = z.object({
  PORT: setting(values.port, '3000', 'public HTTP'),
  ADMIN_PORT: setting(values.port, '3100', 'admin-gateway'),
  OPS_PORT: setting(values.port, '9100', '`/livez`, `/readyz`, `/metrics` of every process; never on the public port'),
  HOST: optional(
    values.host,
    '127.0.0.1 in embedded mode, 0.0.0.0 as a single service',
    'the address on which all ports listen',
  ),
  PUBLIC_URL: optional(values.origin, 'http://127.0.0.1:$PORT', 'own origin: links in mails, the MCP Origin check'),
  ADMIN_TOKEN: secret(values.token, generated, 'back-office bearer token'),
  ADMIN_TOKEN_PREVIOUS: secret(values.token, 'none', 'the token before `ADMIN_TOKEN`, accepted while it is set'),
  CONSOLE_URL: optional(
    values.origin,
    'the address that was called',
    'origin of the back office as a browser sees it: sign-in links, cookies, the Origin check',
  ),
  OIDC_ISSUER: optional(
    values.issuer,
    'none',
    'OpenID provider that operators sign in with; needs the two settings below',
  ),
  OIDC_CLIENT_ID: optional(values.word, 'none', 'client id at the OpenID provider'),
  OIDC_CLIENT_SECRET: secret(values.word, 'none', 'client secret at the OpenID provider'),
  DATABASE_URL: secret(
    values.databaseUrl,
    'embedded PostgreSQL in `DATA_DIR`',
    'one database; each service connects as its own role to its own schema',
  ),
  DATABASE_DIRECT_URL: secret(
    values.databaseUrl,
    '`DATABASE_URL`',
    'the same database without a pooler between, for migrations and session locks',
  ),
  DATABASE_CA_FILE: optional(
    values.file,
    'the authorities that Node trusts, where TLS is used',
    'certificates that vouch for PostgreSQL; with it, or with a client certificate, connections use TLS and verify the server',
  ),
  DATABASE_CERT_FILE: optional(values.file, 'none', 'client certificate for PostgreSQL; needs `DATABASE_KEY_FILE`'),
  DATABASE_KEY_FILE: optional(values.file, 'none', 'private key of this certificate'),
  NATS_URL: secret(values.natsServers, 'none in embedded mode; required otherwise', 'the bus'),
  NATS_CA_FILE: optional(
    values.file,
    'the authorities that Node trusts',
    'certificates that vouch for NATS under `tls://`',
  ),
  NATS_CERT_FILE: optional(values.file, 'none', 'client certificate for NATS under `tls://`; needs `NATS_KEY_FILE`'),
  NATS_KEY_FILE: optional(values.file, 'none', 'private key of the client certificate'),
  NATS_CREDS_FILE: optional(
    values.file,
    'none',
    'credentials of a NATS user (JWT and seed), instead of a login in `NATS_URL`',
  ),
  DATA_DIR: setting(values.folder, '.data', 'embedded PostgreSQL, mail files, made secrets'),
  SECRET_KEY: secret(
    values.longSecret,
    generated,
    'API keys, tokens of operators, webhook secrets and answers kept for an `Idempotency-Key` are stored under it, and cursors are signed with it: all are lost with it',
  ),
  SECRET_KEY_NEXT: secret(
    values.longSecret,
    'none',
    'the key that follows `SECRET_KEY`, read already while it is rotated',
  ),
  SECRET_KEY_PREVIOUS: secret(values.longSecret, 'none', 'the key before `SECRET_KEY`, still read while it is rotated'),
  SMTP_URL: secret(
    values.smtpUrl,
    'mail files in `DATA_DIR/mail`',
    'where mails go: opt-in mails, and notices about webhooks to the `ownerEmail` of a shop',
  ),
  TRUSTED_PROXIES: optional(values.addressRanges, 'none', 'address ranges whose `X-Forwarded-For` is believed'),
  REQUESTS_PER_MINUTE: setting(values.budget, '240', 'the budget of a key; other values are for load tests only'),
  AUTH_FAILURES_PER_MINUTE: setting(values.budget, '30', 'the budget of failed authentications per source address'),
  MCP_OAUTH: setting(
    values.flag,
    'false',
    'sign-in of agents by OAuth at the MCP endpoint; needs `PUBLIC_URL` and `CONSOLE_URL`',
  ),
  MCP_OAUTH_CLIENT_HOSTS: optional(
    values.redirectHosts,
    'any',
    'hosts to which agents may be sent back after sign-in; `loopback` is one of them',
  ),
  WEBHOOK_ALLOW_PRIVATE: setting(
    values.flag,
    'false',
    'allow webhook targets on private and loopback addresses (development)',
  ),
  WEBHOOK_RETRY_SECONDS: setting(
    values.waits,
    '5,30,120,600,1800,7200,18000,36000,50400,72000,86400', // docs/spec/webhooks.md#retries
    'waits between attempts of a webhook delivery',
  ),
  DEMO: optional(values.flag, 'true in embedded mode', 'fill the demo shop on first start'),
  LOG_LEVEL: setting(values.logLevel, 'info', 'how much is logged; structured JSON on stdout, pretty on a terminal'),
  ACCESS_LOG_SAMPLE: setting(
    values.ratio,
    '1',
    'the part of the requests with a 2xx status that are logged; all others are',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    values.collectorUrl,
    'none',
    'the OpenTelemetry collector that spans go to, by OTLP over HTTP; without it nothing is traced',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: secret(values.headerPairs, 'none', 'headers that the collector asks for'),
  OTEL_TRACES_SAMPLER: setting(values.sampler, 'parentbased_always_on', 'which traces are kept'),
  OTEL_TRACES_SAMPLER_ARG: setting(values.ratio, '1', 'the part of the traces that a `traceidratio` sampler keeps'),
})

// A setting whose default is the text that would be set.
function setting<Value>(value: z.ZodType<Value, string>, text: string, meaning: string) {
  const allowed = value.description ?? ''
  return value.prefault(text).register(descriptions, { default: text, meaning, allowed, secret: false })
}

// A setting that is null where nothing is set; `instead` says what applies then.
function optional<Value>(value: z.ZodType<Value, string>, instead: string, meaning: string, isSecret = false) {
  const allowed = value.description ?? ''
  const orNull = value.optional().transform((given) => given ?? null)
  return orNull.register(descriptions, { default: instead, meaning, allowed, secret: isSecret })
}

function secret<Value>(value: z.ZodType<Value, string>, instead: string, meaning: string) {
  return optional(value, instead, meaning, true)
}

type SettingName = keyof typeof environment.shape
const names = Object.keys(environment.shape) as SettingName[]

/**
 * The configuration of a process; what is null is not given, and the start may make it. `needs` counts in service mode
 * only. Throws an Error whose message is one line.
 */
export function readConfig(env: NodeJS.ProcessEnv, mode: 'service', needs?: Partial<Needs>): ServiceConfig
export function readConfig(env: NodeJS.ProcessEnv, mode: Mode, needs?: Partial<Needs>): Config
export function readConfig(env: NodeJS.ProcessEnv, mode: Mode, needs: Partial<Needs> = {}): Config {
  refuseLookalikes(env)
  const given = Object.fromEntries(names.map((name) => [name, textOf(env, name)]))
  const read = environment.safeParse(given)
  if (!read.success) {
    const name = read.error.issues[0]?.path[0] as SettingName
    const shown = about(name).secret ? 'not allowed' : JSON.stringify(given[name]?.slice(0, 80))
    throw new Error(`${name} is ${shown}, ${rule(name)}`)
  }
  const config = configOf(read.data, mode)
  if (config.databaseDirectUrl !== null && config.databaseUrl === null)
    throw new Error(
      'DATABASE_DIRECT_URL is set, but DATABASE_URL is not; it is the same database without a pooler between.',
    )
  checkBusFiles(config.natsFiles, config.natsServers)
  if (mode === 'service') refuseMissing(config, needs)
  else refuseSharedPort(config)
  return config
}

/** The host of a URL by which this machine reaches what listens on `host`. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

/** The settings as docs/guides/operators.md shows them: name, default, meaning. */
export function describeSettings(): { name: string; default: string; meaning: string }[] {
  return names.map((name) => ({ name, default: about(name).default, meaning: about(name).meaning }))
}

function configOf(read: z.output<typeof environment>, mode: Mode) {
  const host = read.HOST ?? (mode === 'embedded' ? '127.0.0.1' : '0.0.0.0')
  const databaseFiles = { ca: read.DATABASE_CA_FILE, cert: read.DATABASE_CERT_FILE, key: read.DATABASE_KEY_FILE }
  return {
    mode,
    port: read.PORT, // 0: any free port. The start then puts the real port into `publicUrl`.
    adminPort: read.ADMIN_PORT,
    opsPort: read.OPS_PORT,
    host,
    publicUrl: read.PUBLIC_URL ?? `http://${urlHost(host)}:${read.PORT}`,
    adminToken: read.ADMIN_TOKEN,
    adminTokenPrevious: read.ADMIN_TOKEN_PREVIOUS,
    consoleUrl: read.CONSOLE_URL,
    oidc: openIdOf(read),
    databaseUrl: withDatabaseFiles(read.DATABASE_URL, databaseFiles),
    databaseDirectUrl:
      read.DATABASE_DIRECT_URL === null ? null : withDatabaseFiles(read.DATABASE_DIRECT_URL, databaseFiles),
    natsServers: read.NATS_URL,
    natsFiles: {
      ca: read.NATS_CA_FILE,
      cert: read.NATS_CERT_FILE,
      key: read.NATS_KEY_FILE,
      creds: read.NATS_CREDS_FILE,
    },
    dataDir: read.DATA_DIR,
    secretKey: read.SECRET_KEY,
    secretKeyNext: read.SECRET_KEY_NEXT,
    secretKeyPrevious: read.SECRET_KEY_PREVIOUS,
    smtpUrl: read.SMTP_URL,
    trustedProxies: read.TRUSTED_PROXIES ?? [],
    requestsPerMinute: read.REQUESTS_PER_MINUTE,
    authFailuresPerMinute: read.AUTH_FAILURES_PER_MINUTE,
    agentsAccess: agentsAccessOf(read),
    webhookAllowPrivate: read.WEBHOOK_ALLOW_PRIVATE,
    webhookRetryS: read.WEBHOOK_RETRY_SECONDS,
    demo: read.DEMO ?? mode === 'embedded',
    logLevel: read.LOG_LEVEL,
    accessLogSample: read.ACCESS_LOG_SAMPLE,
    tracing:
      read.OTEL_EXPORTER_OTLP_ENDPOINT === null
        ? null
        : {
            endpoint: read.OTEL_EXPORTER_OTLP_ENDPOINT,
            headers: read.OTEL_EXPORTER_OTLP_HEADERS ?? {},
            sampler: read.OTEL_TRACES_SAMPLER,
            ratio: read.OTEL_TRACES_SAMPLER_ARG,
          },
  }
}

function textOf(env: NodeJS.ProcessEnv, name: SettingName): string | undefined {
  const given = env[name]?.trim() ?? ''
  const file = about(name).secret ? (env[fileName(name)]?.trim() ?? '') : ''
  if (file !== '' && given !== '')
    throw new Error(`${name} and ${fileName(name)} are both set, but only one of them may be.`)
  const text = file === '' ? given : readSecretFile(fileName(name), file)
  return text === '' || isInjected(name, text) ? undefined : text
}

// A typing error must not become a silent default; every other name belongs to another program.
function refuseLookalikes(env: NodeJS.ProcessEnv): void {
  const known = [...names, ...names.filter((name) => about(name).secret).map(fileName)]
  for (const [name, value = ''] of Object.entries(env)) {
    if (known.includes(name) || value.trim() === '' || isInjected(name, value)) continue
    const meant = known.find((own) => isAtMostOneEdit(name.toUpperCase(), own))
    if (meant !== undefined) throw new Error(`${name} is not a setting; did you mean ${meant}?`)
  }
}

function refuseMissing(config: Config, { database = false, adminToken = false }: Partial<Needs>): void {
  const missing: SettingName[] = []
  if (config.natsServers === null) missing.push('NATS_URL')
  if (config.secretKey === null) missing.push('SECRET_KEY')
  if (database && config.databaseUrl === null) missing.push('DATABASE_URL')
  if (adminToken && config.adminToken === null) missing.push('ADMIN_TOKEN')
  const [first] = missing
  if (first !== undefined) throw new Error(`${first} is not set, ${rule(first)}`)
}

// In one process all three listen at once.
function refuseSharedPort({ port: PORT, adminPort: ADMIN_PORT, opsPort: OPS_PORT }: Config): void {
  const taken = new Map<number, string>()
  for (const [name, number] of Object.entries({ PORT, ADMIN_PORT, OPS_PORT })) {
    const other = taken.get(number)
    if (number !== 0 && other !== undefined)
      throw new Error(`${name} is ${number}, which is also ${other}; each needs a port of its own.`)
    taken.set(number, name)
  }
}

function rule(name: SettingName): string {
  return `but must be ${about(name).allowed} (${about(name).meaning}).`
}

function about(name: SettingName): Description {
  const description = descriptions.get(environment.shape[name])
  if (description === undefined) throw new Error(`${name} is not described.`)
  return description
}

function fileName(name: SettingName): string {
  return `${name}_FILE`
}
