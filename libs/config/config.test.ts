// Guarantees of config.ts: run.md, Environment.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { describeSettings, readConfig } from './config.ts'

const key = 'k'.repeat(32)
const service = { NATS_URL: 'nats://bus:4222', SECRET_KEY: key }
const names = [
  ...[
    'PORT',
    'ADMIN_PORT',
    'OPS_PORT',
    'PUBLIC_URL',
    'ADMIN_TOKEN',
    'DATABASE_URL',
    'NATS_URL',
    'DATA_DIR',
    'SECRET_KEY',
  ],
  ...['SECRET_KEY_PREVIOUS', 'SMTP_URL', 'TRUSTED_PROXIES', 'REQUESTS_PER_MINUTE', 'AUTH_FAILURES_PER_MINUTE'],
  ...['WEBHOOK_ALLOW_PRIVATE', 'WEBHOOK_RETRY_SECONDS', 'DEMO', 'LOG_LEVEL', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  ...['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_TRACES_SAMPLER', 'OTEL_TRACES_SAMPLER_ARG'],
]

function refusal(env: NodeJS.ProcessEnv): string {
  try {
    readConfig(env, 'embedded')
  } catch (error) {
    return (error as Error).message
  }
  return 'accepted'
}

describe('what is read', () => {
  test('an empty environment gives the defaults of the embedded mode', () => {
    expect(readConfig({}, 'embedded')).toEqual({
      mode: 'embedded',
      port: 3000,
      adminPort: 3100,
      opsPort: 9100,
      publicUrl: 'http://127.0.0.1:3000',
      adminToken: null,
      databaseUrl: null,
      natsServers: null,
      dataDir: '.data',
      secretKey: null,
      secretKeyPrevious: null,
      smtpUrl: null,
      trustedProxies: [],
      requestsPerMinute: 240,
      authFailuresPerMinute: 30,
      webhookAllowPrivate: false,
      webhookRetryS: [5, 30, 120, 600, 1800, 7200, 18000, 36000, 50400, 72000, 86400],
      demo: true,
      logLevel: 'info',
      tracing: null,
    })
  })

  test('every variable is read, trimmed and typed', () => {
    expect(
      readConfig(
        {
          PORT: ' 8080 ',
          ADMIN_PORT: '8081',
          OPS_PORT: '0',
          PUBLIC_URL: 'https://shop.example/',
          ADMIN_TOKEN: 'back-office',
          DATABASE_URL: 'postgres://u:p@db/storefront',
          NATS_URL: 'nats://one:4222, tls://two,three:4333',
          DATA_DIR: '/srv/data',
          SECRET_KEY: `${key}\n`,
          SECRET_KEY_PREVIOUS: 'o'.repeat(32),
          SMTP_URL: 'smtps://u:p@mail.example:465',
          TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.7,fd00::/8',
          REQUESTS_PER_MINUTE: '100000',
          AUTH_FAILURES_PER_MINUTE: '5',
          WEBHOOK_ALLOW_PRIVATE: 'true',
          WEBHOOK_RETRY_SECONDS: '0.05, 1,2',
          DEMO: 'false',
          LOG_LEVEL: 'debug',
          OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
          OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20token, x-tenant=shop',
          OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
          OTEL_TRACES_SAMPLER_ARG: '0.25',
        },
        'embedded',
      ),
    ).toEqual({
      mode: 'embedded',
      port: 8080,
      adminPort: 8081,
      opsPort: 0,
      publicUrl: 'https://shop.example',
      adminToken: 'back-office',
      databaseUrl: 'postgres://u:p@db/storefront',
      natsServers: ['nats://one:4222', 'tls://two', 'three:4333'],
      dataDir: '/srv/data',
      secretKey: key,
      secretKeyPrevious: 'o'.repeat(32),
      smtpUrl: 'smtps://u:p@mail.example:465',
      trustedProxies: ['10.0.0.0/8', '192.0.2.7/32', 'fd00::/8'],
      requestsPerMinute: 100000,
      authFailuresPerMinute: 5,
      webhookAllowPrivate: true,
      webhookRetryS: [0.05, 1, 2],
      demo: false,
      logLevel: 'debug',
      tracing: {
        endpoint: 'http://collector:4318',
        headers: { authorization: 'Bearer token', 'x-tenant': 'shop' },
        sampler: 'parentbased_traceidratio',
        ratio: 0.25,
      },
    })
  })

  test('the own origin follows the port', () => {
    expect(readConfig({ PORT: '4000' }, 'embedded').publicUrl).toBe('http://127.0.0.1:4000')
  })

  test.each(names)('%s set to the empty string counts as not set', (name) => {
    expect(readConfig({ [name]: '' }, 'embedded')).toEqual(readConfig({}, 'embedded'))
  })

  test('the demo shop is off in service mode unless it is asked for', () => {
    expect(readConfig(service, 'service').demo).toBe(false)
    expect(readConfig({ ...service, DEMO: 'true' }, 'service').demo).toBe(true)
  })
})

describe('a wrong value stops the start with one line', () => {
  test.each([
    ['PORT', 'abc'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', '0x50'],
    ['ADMIN_PORT', '1e3'],
    ['OPS_PORT', 'any'],
    ['PUBLIC_URL', 'shop.example'],
    ['PUBLIC_URL', 'ftp://shop.example'],
    ['PUBLIC_URL', 'https://shop.example/path'],
    ['PUBLIC_URL', 'https://shop.example/?'],
    ['PUBLIC_URL', 'https://user@shop.example'],
    ['ADMIN_TOKEN', 'two words'],
    ['DATABASE_URL', 'mysql://db/storefront'],
    ['DATABASE_URL', 'postgres://db'],
    ['NATS_URL', 'http://bus:4222'],
    ['NATS_URL', 'nats://bus:4222,'],
    ['NATS_URL', 'foo'],
    ['NATS_URL', 'nats://one:4222,two'],
    ['NATS_URL', 'bus:nats'],
    ['NATS_URL', ':4222'],
    ['NATS_URL', 'bus:99999'],
    ['NATS_URL', 'nats://'],
    ['SECRET_KEY', 'k'.repeat(31)],
    ['SECRET_KEY_PREVIOUS', 'short'],
    ['SMTP_URL', 'mail.example:25'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', '10.0.0/8'],
    ['TRUSTED_PROXIES', 'proxy.example'],
    ['TRUSTED_PROXIES', 'fd00::/129'],
    ['TRUSTED_PROXIES', '10.0.0.0/8/8'],
    ['TRUSTED_PROXIES', '10.0.0.0/'],
    ['TRUSTED_PROXIES', 'fe80::1%eth0/64'],
    ['REQUESTS_PER_MINUTE', '0'],
    ['AUTH_FAILURES_PER_MINUTE', 'many'],
    ['WEBHOOK_ALLOW_PRIVATE', 'yes'],
    ['WEBHOOK_RETRY_SECONDS', '5,,30'],
    ['WEBHOOK_RETRY_SECONDS', '0'],
    ['WEBHOOK_RETRY_SECONDS', '5m'],
    ['WEBHOOK_RETRY_SECONDS', '604801'],
    ['DEMO', '1'],
    ['LOG_LEVEL', 'verbose'],
    ['LOG_LEVEL', 'INFO'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:word@collector:4318'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=b,,c=d'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%0d%0ax: y'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%'],
    ['OTEL_TRACES_SAMPLER', 'always'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', '10%'],
  ])('%s=%s', (name, value) => {
    const message = refusal({ [name]: value })
    expect(message).toMatch(new RegExp(`^${name} is .+, but must be .+\\(.+\\)\\.$`))
    expect(message).not.toContain('\n')
  })

  test('the line shows the value, what is allowed and what it is for', () => {
    expect(refusal({ PORT: 'a\nb' })).toBe(
      'PORT is "a\\nb", but must be a whole number from 0 to 65535 (0 = any free port) (public HTTP).',
    )
  })

  test.each([
    ['SECRET_KEY', 'hunter2'],
    ['SECRET_KEY_PREVIOUS', 'hunter2'],
    ['ADMIN_TOKEN', 'hunter2 hunter2'],
    ['DATABASE_URL', 'mysql://u:hunter2@db/x'],
    ['NATS_URL', 'http://u:hunter2@bus'],
    ['SMTP_URL', 'http://u:hunter2@mail'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'hunter2'],
  ])('the value of %s is never shown', (name, value) => {
    expect(refusal({ [name]: value })).toMatch(new RegExp(`^${name} is not allowed, but must be `))
    expect(refusal({ [name]: value })).not.toContain('hunter2')
  })

  test('two doors on one port are refused in one process and free in separate ones', () => {
    expect(refusal({ PORT: '3100' })).toBe('ADMIN_PORT is 3100, which is also PORT; each needs a port of its own.')
    expect(refusal({ PORT: '0', ADMIN_PORT: '0', OPS_PORT: '0' })).toBe('accepted')
    expect(readConfig({ ...service, PORT: '3100' }, 'service').port).toBe(3100)
  })
})

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'secrets-'))
  const fileOf = (content: string) => {
    const path = join(folder, randomUUID())
    writeFileSync(path, content)
    return path
  }
  afterAll(() => rmSync(folder, { recursive: true }))

  test.each([
    ['ADMIN_TOKEN', 'back-office', { adminToken: 'back-office' }],
    ['DATABASE_URL', 'postgres://u:p@db/storefront', { databaseUrl: 'postgres://u:p@db/storefront' }],
    ['NATS_URL', 'nats://u:p@one,tls://two', { natsServers: ['nats://u:p@one', 'tls://two'] }],
    ['SECRET_KEY', key, { secretKey: key }],
    ['SECRET_KEY_PREVIOUS', key, { secretKeyPrevious: key }],
    ['SMTP_URL', 'smtp://u:p@mail', { smtpUrl: 'smtp://u:p@mail' }],
  ])('%s_FILE names the file of %s; a line break at its end is dropped', (name, content, config) => {
    for (const end of ['', '\n', '\r\n']) {
      expect(readConfig({ [`${name}_FILE`]: fileOf(content + end) }, 'embedded')).toMatchObject(config)
    }
  })

  test('every secret setting can stand in a file, and no other', () => {
    const path = fileOf('hunter2 hunter2')
    const readable = names.filter((name) => refusal({ [`${name}_FILE`]: path }).startsWith(`${name} is not allowed`))
    expect(readable).toEqual([
      ...['ADMIN_TOKEN', 'DATABASE_URL', 'NATS_URL', 'SECRET_KEY', 'SECRET_KEY_PREVIOUS', 'SMTP_URL'],
      'OTEL_EXPORTER_OTLP_HEADERS',
    ])
  })

  test('what stands in files counts as given', () => {
    const files = { NATS_URL_FILE: fileOf('nats://bus:4222\n'), SECRET_KEY_FILE: fileOf(`${key}\n`) }
    expect(readConfig(files, 'service')).toMatchObject({ natsServers: ['nats://bus:4222'], secretKey: key })
  })

  test('a setting given both ways is refused by both names', () => {
    expect(refusal({ SECRET_KEY: key, SECRET_KEY_FILE: fileOf(key) })).toBe(
      'SECRET_KEY and SECRET_KEY_FILE are both set, but only one of them may be.',
    )
    expect(refusal({ SECRET_KEY: '', SECRET_KEY_FILE: fileOf(key) })).toBe('accepted')
    expect(refusal({ SECRET_KEY: key, SECRET_KEY_FILE: '' })).toBe('accepted')
  })

  test('a file that is missing, empty, a folder or endless is refused by setting and file', () => {
    const missing = join(folder, 'missing')
    const empty = fileOf('\n')
    const told = (path: string) => refusal({ SECRET_KEY_FILE: path })
    expect(told(missing)).toBe(`SECRET_KEY_FILE names "${missing}", which cannot be read (ENOENT).`)
    expect(told(empty)).toBe(`SECRET_KEY_FILE names "${empty}", which is empty.`)
    expect(told(folder)).toBe(`SECRET_KEY_FILE names "${folder}", which cannot be read (EISDIR).`)
    expect(told('/dev/zero')).toBe('SECRET_KEY_FILE names "/dev/zero", which is larger than 65536 bytes.')
  })

  test('the content of a file is never shown', () => {
    const message = refusal({ SECRET_KEY_FILE: fileOf('hunter2') })
    expect(message).toMatch(/^SECRET_KEY is not allowed, but must be /)
    expect(message).not.toContain('hunter2')
  })
})

describe('an unknown name', () => {
  test.each([
    ['WEBHOOK_RETRY', 'WEBHOOK_RETRY_SECONDS'],
    ['WEBHOOK_RETRY_SECOND', 'WEBHOOK_RETRY_SECONDS'],
    ['ADMIN_TOKENS', 'ADMIN_TOKEN'],
    ['NATS_SERVERS', 'NATS_URL'],
    ['SMTP_HOST', 'SMTP_URL'],
    ['DATABASE_HOST', 'DATABASE_URL'],
    ['DATA_FOLDER', 'DATA_DIR'],
    ['SECRET_KEY_OLD', 'SECRET_KEY_PREVIOUS'],
    ['REQUESTS_PER_SECOND', 'REQUESTS_PER_MINUTE'],
    ['AUTH_FAILURES', 'AUTH_FAILURES_PER_MINUTE'],
    ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
    ['OPS_ADDRESS', 'OPS_PORT'],
    ['port', 'PORT'],
    ['Log_Level', 'LOG_LEVEL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['PROT', 'PORT'],
    ['PUBLIC_URI', 'PUBLIC_URL'],
    ['PUBLICURL', 'PUBLIC_URL'],
    ['DEMOS', 'DEMO'],
    ['OTEL_EXPORTER_OTLP_ENDPONT', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
    ['SECRET_KEY_FIEL', 'SECRET_KEY_FILE'],
    ['DATA_DIR_FILE', 'DATA_DIR'],
  ])('%s is refused and %s suggested', (name, meant) => {
    expect(refusal({ [name]: '5' })).toBe(`${name} is not a setting; did you mean ${meant}?`)
  })

  test.each([
    'PATH',
    'HOME',
    'HOST',
    'TEMP',
    'TERM',
    'PWD',
    'USER',
    'LANG',
    'CI',
    'NODE_ENV',
    'PGPORT',
    'APP_PORT',
    'OTEL_SERVICE_NAME',
    'OTEL_RESOURCE_ATTRIBUTES',
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    '_',
  ])('%s belongs to the system and is let through', (name) => {
    expect(refusal({ [name]: 'x' })).toBe('accepted')
  })

  test.each([
    ['ADMIN_GATEWAY_SERVICE_HOST', '10.0.0.7'],
    ['ADMIN_GATEWAY_SERVICE_PORT', '80'],
    ['ADMIN_GATEWAY_SERVICE_PORT_HTTP', '80'],
    ['ADMIN_GATEWAY_PORT', 'tcp://10.0.0.7:80'],
    ['NATS_PORT_4222_TCP', 'tcp://10.0.0.7:4222'],
    ['NATS_PORT_4222_TCP_ADDR', '10.0.0.7'],
    ['NATS_SERVICE_HOST', '10.0.0.7'],
    ['NATS_PORT', 'tcp://10.0.0.7:4222'],
    ['AUTH_SERVICE_HOST', '10.0.0.7'],
  ])('%s, which Kubernetes injects, is let through', (name, value) => {
    expect(refusal({ [name]: value })).toBe('accepted')
  })

  test('ADMIN_PORT that Kubernetes injects for a service "admin" counts as not set', () => {
    expect(readConfig({ ADMIN_PORT: 'tcp://10.0.0.7:80' }, 'embedded').adminPort).toBe(3100)
  })

  test('a name like ours without a value is let through', () => {
    expect(refusal({ WEBHOOK_RETRY: '' })).toBe('accepted')
  })

  test('the environment of this very process holds nothing that is refused', () => {
    expect(refusal(process.env)).toBe('accepted')
  })
})

describe('service mode', () => {
  test('bus and key are required', () => {
    expect(() => readConfig({ SECRET_KEY: key }, 'service')).toThrow(/^NATS_URL is not set, but must be /)
    expect(() => readConfig({ NATS_URL: 'bus:4222' }, 'service')).toThrow(/^SECRET_KEY is not set, but must be /)
    expect(readConfig(service, 'service')).toMatchObject({ natsServers: ['nats://bus:4222'], secretKey: key })
  })

  test('a database and the back-office token are required of those that need them only', () => {
    expect(readConfig(service, 'service').databaseUrl).toBeNull()
    expect(() => readConfig(service, 'service', { database: true })).toThrow(/^DATABASE_URL is not set, but must be /)
    expect(() => readConfig(service, 'service', { adminToken: true })).toThrow(/^ADMIN_TOKEN is not set, but must be /)
  })
})

describe('the description', () => {
  test('names every variable once, in the order of the README', () => {
    expect(describeSettings().map(({ name }) => name)).toEqual(names)
  })

  test('its defaults are the ones that are in force', () => {
    const described = Object.fromEntries(describeSettings().map((setting) => [setting.name, setting.default]))
    const config = readConfig({}, 'embedded')
    expect(described).toMatchObject({
      PORT: String(config.port),
      ADMIN_PORT: String(config.adminPort),
      OPS_PORT: String(config.opsPort),
      DATA_DIR: config.dataDir,
      REQUESTS_PER_MINUTE: String(config.requestsPerMinute),
      AUTH_FAILURES_PER_MINUTE: String(config.authFailuresPerMinute),
      WEBHOOK_ALLOW_PRIVATE: String(config.webhookAllowPrivate),
      WEBHOOK_RETRY_SECONDS: config.webhookRetryS.join(','),
      LOG_LEVEL: config.logLevel,
    })
    const traced = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, 'embedded').tracing
    expect(described).toMatchObject({
      OTEL_TRACES_SAMPLER: traced?.sampler,
      OTEL_TRACES_SAMPLER_ARG: String(traced?.ratio),
    })
  })
})
