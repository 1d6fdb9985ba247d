// Tests readConfig: docs/spec/running.md#environment.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { makeCertificate } from '#testing/servers/certificate'
import { describeSettings, readConfig } from './config.ts'

const key = 'k'.repeat(32)
const token = 't'.repeat(32)
const service = { NATS_URL: 'nats://bus:4222', SECRET_KEY: key }
const folder = mkdtempSync(join(tmpdir(), 'settings-'))
afterAll(() => rmSync(folder, { recursive: true }))
const fileOf = (content: string) => {
  const path = join(folder, randomUUID())
  writeFileSync(path, content)
  return path
}
const client = makeCertificate('client')
const [certFile, keyFile] = [fileOf(client.cert), fileOf(client.key)]
const credsFile = fileOf('-----BEGIN NATS USER JWT-----\ne30\n---\n-----BEGIN USER NKEY SEED-----\nSU\n---\n')
// Settings that count together with others only.
const complete = {
  DATABASE_URL: 'postgres://db/another',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
  NATS_URL: 'tls://bus:4222',
  NATS_CERT_FILE: certFile,
  NATS_KEY_FILE: keyFile,
  OIDC_ISSUER: 'https://login.example',
  OIDC_CLIENT_ID: 'console',
  OIDC_CLIENT_SECRET: 'secret',
}
const beside: Record<string, NodeJS.ProcessEnv> = {
  DATABASE_CERT_FILE: { DATABASE_KEY_FILE: keyFile },
  DATABASE_KEY_FILE: { DATABASE_CERT_FILE: certFile },
}
const names = describeSettings().map(({ name }) => name)

function refusal(env: NodeJS.ProcessEnv): string {
  try {
    readConfig(env, 'embedded')
  } catch (error) {
    return (error as Error).message
  }
  return 'accepted'
}

describe('an environment that is allowed', () => {
  test('without any variable returns the defaults of the embedded mode', () => {
    expect(readConfig({}, 'embedded')).toEqual({
      mode: 'embedded',
      port: 3000,
      adminPort: 3100,
      opsPort: 9100,
      host: '127.0.0.1',
      publicUrl: 'http://127.0.0.1:3000',
      adminToken: null,
      adminTokenPrevious: null,
      consoleUrl: null,
      oidc: null,
      databaseUrl: null,
      databaseDirectUrl: null,
      natsServers: null,
      natsFiles: { ca: null, cert: null, key: null, creds: null },
      dataDir: '.data',
      secretKey: null,
      secretKeyNext: null,
      secretKeyPrevious: null,
      smtpUrl: null,
      trustedProxies: [],
      requestsPerMinute: 240,
      authFailuresPerMinute: 30,
      agentsAccess: null,
      webhookAllowPrivate: false,
      webhookRetryS: [5, 30, 120, 600, 1800, 7200, 18000, 36000, 50400, 72000, 86400],
      demo: true,
      logLevel: 'info',
      accessLogSample: 1,
      tracing: null,
    })
    expect(readConfig(complete, 'embedded').tracing).toEqual({
      endpoint: 'http://collector:4318',
      headers: {},
      sampler: 'parentbased_always_on',
      ratio: 1,
    })
  })

  const read: [name: string, text: string, config: object][] = [
    ['PORT', ' 8080 ', { port: 8080, publicUrl: 'http://127.0.0.1:8080' }],
    ['ADMIN_PORT', '8081', { adminPort: 8081 }],
    ['ADMIN_PORT', 'tcp://10.0.0.7:80', { adminPort: 3100 }], // Kubernetes sets it for a service called "admin".
    ['OPS_PORT', '0', { opsPort: 0 }],
    ['HOST', '192.0.2.7', { host: '192.0.2.7', publicUrl: 'http://192.0.2.7:3000' }],
    ['HOST', '::1', { host: '::1', publicUrl: 'http://[::1]:3000' }],
    ['HOST', '0.0.0.0', { host: '0.0.0.0', publicUrl: 'http://127.0.0.1:3000' }],
    ['HOST', 'localhost', { host: 'localhost', publicUrl: 'http://localhost:3000' }],
    ['PUBLIC_URL', 'https://shop.example/', { publicUrl: 'https://shop.example' }],
    ['ADMIN_TOKEN', token, { adminToken: token }],
    ['ADMIN_TOKEN_PREVIOUS', token, { adminTokenPrevious: token }],
    ['CONSOLE_URL', 'https://console.example/', { consoleUrl: 'https://console.example' }],
    ['OIDC_ISSUER', 'https://id.example/realm', { oidc: { issuer: 'https://id.example/realm' } }],
    ['OIDC_CLIENT_ID', 'shop', { oidc: { clientId: 'shop' } }],
    ['OIDC_CLIENT_SECRET', 'hidden', { oidc: { clientSecret: 'hidden' } }],
    ['DATABASE_URL', 'postgres://u:p@db/storefront', { databaseUrl: 'postgres://u:p@db/storefront' }],
    [
      'DATABASE_DIRECT_URL',
      'postgres://u:p@db:5432/storefront',
      { databaseDirectUrl: 'postgres://u:p@db:5432/storefront' },
    ],
    [
      'DATABASE_CA_FILE',
      certFile,
      { databaseUrl: `${complete.DATABASE_URL}?sslmode=verify-full&sslrootcert=${encodeURIComponent(certFile)}` },
    ],
    ['DATABASE_CERT_FILE', certFile, { databaseUrl: expect.stringContaining('&sslcert=') }],
    ['DATABASE_KEY_FILE', keyFile, { databaseUrl: expect.stringContaining('&sslkey=') }],
    ['NATS_URL', 'nats://one:4222, tls://two,b:4333', { natsServers: ['nats://one:4222', 'tls://two', 'b:4333'] }],
    ['NATS_CA_FILE', certFile, { natsFiles: { ca: certFile } }],
    ['NATS_CERT_FILE', certFile, { natsFiles: { cert: certFile } }],
    ['NATS_KEY_FILE', keyFile, { natsFiles: { key: keyFile } }],
    ['NATS_CREDS_FILE', credsFile, { natsFiles: { creds: credsFile } }],
    ['DATA_DIR', '/srv/data', { dataDir: '/srv/data' }],
    ['SECRET_KEY', `${key}\n`, { secretKey: key }],
    ['SECRET_KEY_NEXT', key, { secretKeyNext: key }],
    ['SECRET_KEY_PREVIOUS', key, { secretKeyPrevious: key }],
    ['SMTP_URL', 'smtps://u:p@mail:465', { smtpUrl: 'smtps://u:p@mail:465' }],
    [
      'TRUSTED_PROXIES',
      '10.0.0.0/8, 192.0.2.7,fd00::/8',
      { trustedProxies: ['10.0.0.0/8', '192.0.2.7/32', 'fd00::/8'] },
    ],
    ['TRUSTED_PROXIES', '::ffff:10.0.0.0/104,::1', { trustedProxies: ['::ffff:10.0.0.0/104', '::1/128'] }],
    ['REQUESTS_PER_MINUTE', '100000', { requestsPerMinute: 100_000 }],
    ['AUTH_FAILURES_PER_MINUTE', '5', { authFailuresPerMinute: 5 }],
    ['MCP_OAUTH', 'false', { agentsAccess: null }],
    ['MCP_OAUTH_CLIENT_HOSTS', 'claude.ai', { agentsAccess: null }],
    ['WEBHOOK_ALLOW_PRIVATE', 'true', { webhookAllowPrivate: true }],
    ['WEBHOOK_RETRY_SECONDS', '0.05, 1,2', { webhookRetryS: [0.05, 1, 2] }],
    ['DEMO', 'false', { demo: false }],
    ['LOG_LEVEL', 'debug', { logLevel: 'debug' }],
    ['ACCESS_LOG_SAMPLE', '0.01', { accessLogSample: 0.01 }],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://a:4318/', { tracing: { endpoint: 'http://a:4318' } }],
    [
      'OTEL_EXPORTER_OTLP_HEADERS',
      'authorization=Bearer%20token, x = a=b',
      { tracing: { headers: { authorization: 'Bearer token', x: 'a=b' } } },
    ],
    ['OTEL_TRACES_SAMPLER', 'traceidratio', { tracing: { sampler: 'traceidratio' } }],
    ['OTEL_TRACES_SAMPLER_ARG', '0.25', { tracing: { ratio: 0.25 } }],
  ]

  test.each(read)('%s=%s is read, trimmed and typed', (name, text, config) => {
    expect(readConfig({ ...complete, ...beside[name], [name]: text }, 'embedded')).toMatchObject(config)
  })

  test('every setting is read, and counts as not set when it is empty', () => {
    expect([...new Set(read.map(([name]) => name))]).toEqual(names)
    const empty = Object.fromEntries(names.map((name) => [name, '']))
    expect(readConfig(empty, 'embedded')).toEqual(readConfig({}, 'embedded'))
  })

  test('the described default of a setting is the one in force', () => {
    for (const { name, default: value } of describeSettings()) {
      if (!/^[\w.,]+$/.test(value) || value === 'none') continue // Described in words.
      expect(readConfig({ ...complete, [name]: value }, 'embedded')).toEqual(readConfig(complete, 'embedded'))
    }
    expect.hasAssertions()
  })
})

describe('sign-in of agents', () => {
  const origins = { PUBLIC_URL: 'https://shop.example', CONSOLE_URL: 'https://console.example' }

  test('has the console and the hosts that agents may be sent back to', () => {
    const { agentsAccess } = readConfig({ ...origins, MCP_OAUTH: 'true' }, 'embedded')
    expect(agentsAccess).toEqual({ consoleUrl: 'https://console.example', redirectHosts: null })
    const hosts = { ...origins, MCP_OAUTH: 'true', MCP_OAUTH_CLIENT_HOSTS: 'Claude.ai, loopback' }
    expect(readConfig(hosts, 'embedded').agentsAccess?.redirectHosts).toEqual(['claude.ai', 'loopback'])
    const local = { ...origins, MCP_OAUTH: 'true', PUBLIC_URL: 'http://127.0.0.1:3000' }
    expect(readConfig(local, 'embedded').agentsAccess).not.toBeNull()
  })

  test.each([
    ['PUBLIC_URL', { CONSOLE_URL: 'https://console.example' }],
    ['PUBLIC_URL', { ...origins, PUBLIC_URL: 'http://shop.example' }],
    ['CONSOLE_URL', { PUBLIC_URL: 'https://shop.example' }],
  ])('stops the start without a fitting %s', (name, env) => {
    expect(refusal({ ...env, MCP_OAUTH: 'true' })).toMatch(
      new RegExp(`^MCP_OAUTH is true, so ${name} must be set.+\\.$`),
    )
  })
})

describe('a wrong value stops the start with one line', () => {
  test.each([
    'PORT = abc | 65536 | -1 | 80.5 | 0x50',
    'ADMIN_PORT = 1e3',
    'HOST = a-machine',
    'OPS_PORT = any',
    'PUBLIC_URL = a.example | ftp://a.example | https://a.example/path | https://a.example/? | https://user@a.example',
    `ADMIN_TOKEN = a | ${token.slice(1)} | two words of more than 32 characters`,
    'ADMIN_TOKEN_PREVIOUS = short',
    'DATABASE_URL = mysql://db/storefront | postgres://db',
    'DATABASE_DIRECT_URL = mysql://db/storefront | postgres://db',
    'NATS_URL = http://b:4222 | nats://b:4222, | foo | nats://b:4222,two | b:nats | :4222 | b:99999 | nats://',
    'DATABASE_CA_FILE = a\0b',
    'DATABASE_CERT_FILE = a\0b',
    'DATABASE_KEY_FILE = a\0b',
    'NATS_CA_FILE = a\0b',
    'NATS_CERT_FILE = a\0b',
    'NATS_KEY_FILE = a\0b',
    'NATS_CREDS_FILE = a\0b',
    'DATA_DIR = a\0b',
    'SECRET_KEY = 0123456789012345678901234567890',
    'SECRET_KEY_NEXT = short',
    'SECRET_KEY_PREVIOUS = short',
    'SMTP_URL = mail.example:25',
    'TRUSTED_PROXIES = 10.0.0.0/33 | 10.0.0/8 | a.example | fd00::/129 | 10.0.0.0/8/8 | 10.0.0.0/ | fe80::1%eth0/64',
    'REQUESTS_PER_MINUTE = 0 | 1000001',
    'AUTH_FAILURES_PER_MINUTE = many',
    'MCP_OAUTH = yes',
    'MCP_OAUTH_CLIENT_HOSTS = https://a.example | a.example/x | a b | a.example,,b.example | user@a.example',
    'WEBHOOK_ALLOW_PRIVATE = yes',
    `WEBHOOK_RETRY_SECONDS = 5,,30 | 0 | 5m | 604801 | ${'1,'.repeat(50)}1`,
    'DEMO = 1',
    'LOG_LEVEL = verbose | INFO',
    'ACCESS_LOG_SAMPLE = 1.5 | -1 | some',
    'OTEL_EXPORTER_OTLP_ENDPOINT = collector:4318 | http://user:word@collector:4318',
    'OTEL_EXPORTER_OTLP_HEADERS = authorization | a=b,,c=d | a=%0d%0ax: y | a=%',
    'OTEL_TRACES_SAMPLER = always',
    'OTEL_TRACES_SAMPLER_ARG = 1.5 | 10%',
  ])('%s', (row) => {
    const [name = '', ...values] = row.split(/ = | \| /)
    for (const value of values) {
      expect(refusal({ [name]: value })).toMatch(new RegExp(`^${name} is .+, but must be .+\\(.+\\)\\.$`))
    }
    expect(values).not.toEqual([])
  })

  test('that shows the value, what is allowed and what it is for', () => {
    expect(refusal({ PORT: 'a\nb' })).toBe(
      'PORT is "a\\nb", but must be a whole number from 0 to 65535 (0 = any free port) (public HTTP).',
    )
  })

  test('two listeners on one port are refused in one process and allowed in separate ones', () => {
    expect(refusal({ PORT: '3100' })).toBe('ADMIN_PORT is 3100, which is also PORT; each needs a port of its own.')
    expect(refusal({ PORT: '0', ADMIN_PORT: '0', OPS_PORT: '0' })).toBe('accepted')
    expect(readConfig({ ...service, PORT: '3100' }, 'service').port).toBe(3100)
  })
})

describe('a secret', () => {
  const secrets = [
    ['ADMIN_TOKEN', token, 'hunter2'],
    ['ADMIN_TOKEN_PREVIOUS', token, 'hunter2'],
    ['OIDC_CLIENT_SECRET', 'hidden', 'hunter2 and blanks'],
    ['DATABASE_URL', 'postgres://u:p@db/storefront', 'mysql://u:hunter2@db/x'],
    ['DATABASE_DIRECT_URL', 'postgres://u:p@db/storefront', 'mysql://u:hunter2@db/x'],
    ['NATS_URL', 'nats://u:p@one,tls://two', 'http://u:hunter2@bus'],
    ['SECRET_KEY', key, 'hunter2'],
    ['SECRET_KEY_NEXT', key, 'hunter2'],
    ['SECRET_KEY_PREVIOUS', key, 'hunter2'],
    ['SMTP_URL', 'smtp://u:p@mail', 'http://u:hunter2@mail'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=b', 'hunter2'],
  ] as const

  test.each(secrets)('%s is never shown, and may stand in a file', (name, good, wrong) => {
    for (const env of [{ [name]: wrong }, { [`${name}_FILE`]: fileOf(wrong) }]) {
      expect(refusal(env)).toMatch(new RegExp(`^${name} is not allowed, but must be `))
      expect(refusal(env)).not.toContain('hunter2')
    }
    for (const end of ['', '\n', '\r\n']) {
      const fromFile = readConfig({ ...complete, [name]: undefined, [`${name}_FILE`]: fileOf(good + end) }, 'embedded')
      expect(fromFile).toEqual(readConfig({ ...complete, [name]: good }, 'embedded'))
      expect(fromFile).not.toEqual(readConfig(complete, 'embedded'))
    }
  })

  test('no other setting is read from a file', () => {
    const path = fileOf('hunter2 hunter2')
    const fromFile = names.filter((name) => refusal({ [`${name}_FILE`]: path }) !== 'accepted')
    expect(fromFile).toEqual(secrets.map(([name]) => name).toSorted((a, b) => names.indexOf(a) - names.indexOf(b)))
  })

  test('in a file counts as given', () => {
    const files = { NATS_URL_FILE: fileOf('nats://bus:4222\n'), SECRET_KEY_FILE: fileOf(`${key}\n`) }
    expect(readConfig(files, 'service')).toMatchObject({ natsServers: ['nats://bus:4222'], secretKey: key })
  })

  test('given both ways is refused by both names', () => {
    expect(refusal({ SECRET_KEY: key, SECRET_KEY_FILE: fileOf(key) })).toBe(
      'SECRET_KEY and SECRET_KEY_FILE are both set, but only one of them may be.',
    )
    expect(refusal({ SECRET_KEY: '', SECRET_KEY_FILE: fileOf(key) })).toBe('accepted')
    expect(refusal({ SECRET_KEY: key, SECRET_KEY_FILE: '' })).toBe('accepted')
  })

  test('in a file that is missing, empty, a folder or endless is refused by setting and file', () => {
    const missing = join(folder, 'missing')
    const empty = fileOf('\n')
    const refusalOf = (path: string) => refusal({ SECRET_KEY_FILE: path })
    expect(refusalOf(missing)).toBe(`SECRET_KEY_FILE names "${missing}", which cannot be read (ENOENT).`)
    expect(refusalOf(empty)).toBe(`SECRET_KEY_FILE names "${empty}", which is empty.`)
    expect(refusalOf(folder)).toBe(`SECRET_KEY_FILE names "${folder}", which cannot be read (EISDIR).`)
    expect(refusalOf('/dev/zero')).toBe('SECRET_KEY_FILE names "/dev/zero", which is larger than 65536 bytes.')
  })
})

describe('a file for the bus', () => {
  const other = makeCertificate('other')
  const tls = { NATS_URL: 'tls://bus:4222' }
  const pair = { NATS_CERT_FILE: certFile, NATS_KEY_FILE: keyFile }
  const missing = join(folder, 'missing')
  const text = fileOf('not what it should be')
  const otherKey = fileOf(other.key)

  test.each<[string, NodeJS.ProcessEnv, string]>([
    [
      'is missing',
      { ...tls, NATS_CA_FILE: missing },
      `NATS_CA_FILE names "${missing}", which cannot be read (ENOENT).`,
    ],
    [
      'is a folder',
      { ...tls, NATS_CREDS_FILE: folder },
      `NATS_CREDS_FILE names "${folder}", which cannot be read (EISDIR).`,
    ],
    [
      'holds no certificate',
      { ...tls, NATS_CA_FILE: text },
      `NATS_CA_FILE names "${text}", which holds no certificate in PEM form.`,
    ],
    [
      'holds no key',
      { ...tls, ...pair, NATS_KEY_FILE: text },
      `NATS_KEY_FILE names "${text}", which holds no private key in PEM form.`,
    ],
    [
      'holds another key',
      { ...tls, ...pair, NATS_KEY_FILE: otherKey },
      `NATS_KEY_FILE names "${otherKey}", which does not belong to NATS_CERT_FILE.`,
    ],
    [
      'holds no credentials',
      { ...tls, NATS_CREDS_FILE: text },
      `NATS_CREDS_FILE names "${text}", which holds no credentials of a NATS user.`,
    ],
    [
      'is half of a pair',
      { ...tls, NATS_CERT_FILE: certFile },
      'NATS_KEY_FILE must be set as well: NATS_CERT_FILE is half of a client certificate.',
    ],
    [
      'is for TLS, which is not used',
      { ...pair, NATS_URL: 'nats://bus:4222' },
      'NATS_CERT_FILE is set, but no server of NATS_URL begins with tls://.',
    ],
    [
      'comes beside a login',
      { NATS_URL: 'nats://a:b@bus:4222', NATS_CREDS_FILE: credsFile },
      'NATS_CREDS_FILE is set, and NATS_URL holds a login; only one of them may be.',
    ],
  ])('that %s stops the start with one line that names the setting', (_problem, env, line) => {
    expect(refusal(env)).toBe(line)
  })
})

describe('files for PostgreSQL', () => {
  const pair = { DATABASE_CERT_FILE: certFile, DATABASE_KEY_FILE: keyFile }
  const url = 'postgres://u:p@db/storefront?sslmode=disable&application_name=a'

  test('count for both URLs, whatever TLS these ask for, and leave their other parameters', () => {
    const env = { DATABASE_URL: url, DATABASE_DIRECT_URL: 'postgres://direct/storefront', ...pair }
    const { databaseUrl, databaseDirectUrl } = readConfig(env, 'embedded')
    const read = (text: string | null) => Object.fromEntries(new URL(text ?? '').searchParams)
    const files = { sslmode: 'verify-full', sslcert: certFile, sslkey: keyFile }
    expect(read(databaseUrl)).toEqual({ application_name: 'a', ...files })
    expect(read(databaseDirectUrl)).toEqual(files)
  })

  test.each<[string, NodeJS.ProcessEnv, string]>([
    ['are there without a URL', pair, 'DATABASE_CERT_FILE is set, but DATABASE_URL is not.'],
    [
      'are half of a pair',
      { DATABASE_URL: url, DATABASE_KEY_FILE: keyFile },
      'DATABASE_CERT_FILE must be set as well: DATABASE_KEY_FILE is half of a client certificate.',
    ],
    [
      'hold no certificate',
      { DATABASE_URL: url, DATABASE_CA_FILE: keyFile },
      `DATABASE_CA_FILE names ${JSON.stringify(keyFile)}, which holds no certificate in PEM form.`,
    ],
  ])('that %s stop the start with one line that names the setting', (_problem, env, line) => {
    expect(refusal(env)).toBe(line)
  })
})

describe('an unknown name', () => {
  test.each([
    ['PORT', 'port PROT PORTS POT POST'],
    ['LOG_LEVEL', 'Log_Level LOGLEVEL log-level'],
    ['WEBHOOK_RETRY_SECONDS', 'WEBHOOK_RETRY_SECOND'],
    ['ADMIN_TOKEN', 'ADMIN_TOKENS DAMIN_TOKEN'],
    ['PUBLIC_URL', 'PUBLIC_URI PUBLICURL'],
    ['DEMO', 'DEMOS'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPONT'],
    ['SECRET_KEY_FILE', 'SECRET_KEY_FIEL secret_key_file SECRETKEY_FILE'],
  ])('that is one typing error away from %s is refused: %s', (meant, lookalikes) => {
    for (const name of lookalikes.split(' ')) {
      expect(refusal({ [name]: '5' })).toBe(`${name} is not a setting; did you mean ${meant}?`)
      expect(refusal({ [name]: ' ' })).toBe('accepted')
    }
  })

  test.each([
    'PATH HOME HOSTNAME TEMP TERM PWD USER LANG CI NODE_ENV PGPORT APP_PORT _',
    'DATA_CENTER ADMIN_EMAIL SMTP_HOST NATS_CLUSTER DATABASE_HOST REQUESTS_CA_BUNDLE WEBHOOK_RETRY',
    'OTEL_SERVICE_NAME OTEL_RESOURCE_ATTRIBUTES OTEL_EXPORTER_OTLP_PROTOCOL OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'ADMIN_GATEWAY_SERVICE_HOST ADMIN_GATEWAY_SERVICE_PORT_HTTP NATS_PORT_4222_TCP_ADDR AUTH_SERVICE_PORT',
  ])('that belongs to another program is ignored: %s', (foreign) => {
    for (const name of foreign.split(' ')) expect(refusal({ [name]: 'x' })).toBe('accepted')
  })

  test('that Kubernetes injects for a service called "admins" is ignored', () => {
    expect(refusal({ ADMINS_PORT: 'tcp://10.0.0.7:80' })).toBe('accepted')
    expect(refusal({ ADMINS_PORT: '80' })).toBe('ADMINS_PORT is not a setting; did you mean ADMIN_PORT?')
  })

  test('stands nowhere in the environment of this process', () => {
    expect(refusal(process.env)).toBe('accepted')
  })
})

describe('service mode', () => {
  test('requires bus and key, and what the service needs', () => {
    expect(() => readConfig({ SECRET_KEY: key }, 'service')).toThrow(/^NATS_URL is not set, but must be /)
    expect(() => readConfig({ NATS_URL: 'bus:4222' }, 'service')).toThrow(/^SECRET_KEY is not set, but must be /)
    expect(() => readConfig(service, 'service', { database: true })).toThrow(/^DATABASE_URL is not set, but must be /)
    expect(() => readConfig(service, 'service', { adminToken: true })).toThrow(/^ADMIN_TOKEN is not set, but must be /)
    expect(readConfig(service, 'service')).toMatchObject({ natsServers: ['nats://bus:4222'], databaseUrl: null })
  })

  test('listens on all addresses unless HOST says otherwise', () => {
    expect(readConfig(service, 'service').host).toBe('0.0.0.0')
    expect(readConfig({ ...service, HOST: '::' }, 'service').host).toBe('::')
  })

  test('fills the demo shop only where DEMO says so', () => {
    expect(readConfig(service, 'service').demo).toBe(false)
    expect(readConfig({ ...service, DEMO: 'true' }, 'service').demo).toBe(true)
  })
})
