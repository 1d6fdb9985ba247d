// NATS_URL with a login, certificates and credentials, on servers that require them: a right one works over the bus; a refused one is
// reported without its secret and is accepted as soon as the server knows it. docs/spec/running.md#nats
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import { nkeys } from 'nats'
import { childEnv } from '#testing/child-env'
import { makeCertificate } from '#testing/servers/certificate'
import { until } from '#testing/until'
import { describeWhere } from '#testing/where-possible'
import { readConfig } from '#config/config'
import type { ServiceContext, ServiceDefinition } from './service.ts'
import { openLog } from '#telemetry/log'
import { findNatsServer, startNatsServer } from '#local-servers/nats-server'
import { type RunningProcess, startProcess } from './process.ts'

const program = findNatsServer(process.env.PATH ?? '')
const withNats = describeWhere(program !== null, 'a bus of its own needs nats-server on the PATH.')

const USER = 'storefront'
const PASSWORD = 'planted p@ss/word'
const TOKEN = 'planted-token'
const byPassword = ['--user', USER, '--pass', PASSWORD]
const login = `${USER}:${encodeURIComponent(PASSWORD)}`

const cleanUp: (() => unknown)[] = []
const leaving: Promise<RunningProcess>[] = []
afterEach(async () => {
  for (const running of leaving.splice(0)) await (await running).stop() // Before their servers do.
  for (const end of cleanUp.splice(0).toReversed()) await end()
})

withNats('a bus that asks for a login', () => {
  test.each([
    ['a user and a password', byPassword, login],
    ['a token', ['--auth', TOKEN], TOKEN],
  ])('%s: two processes of the product reach each other', async (_name, flags, given) => {
    const { port } = await startServer(flags)
    const url = `nats://${given}@127.0.0.1:${port}`
    const [{ call }] = await Promise.all([start('asking', url).opened, start('answering', url).started])
    await until(async () => (await call('shops.find', { shop: 'tea' }).catch(() => null)) === 'a shop')
  })

  test('TLS: the certificate of the server is verified, and the login is sent encrypted', async () => {
    const { key, cert } = makeCertificate('localhost')
    const files = { key: fileOf(key), cert: fileOf(cert) }
    const { port } = await startServer([...byPassword, '--tls', '--tlskey', files.key, '--tlscert', files.cert])
    const url = `tls://${login}@localhost:${port}`
    const trusting = await runProcess({ NATS_URL: url, NODE_EXTRA_CA_CERTS: files.cert }, '"msg":"ready"')
    expect(trusting).toContain('"msg":"ready"')
    const strange = await runProcess({ NATS_URL: url }, 'CERT')
    expect(strange).toMatch(/the bus is not connected: \w*CERT\w*/)
    expect(strange).not.toContain('planted')
  })

  test('a server that verifies clients accepts only those with the certificate of NATS_CERT_FILE', async () => {
    const [server, client] = [makeCertificate('localhost'), makeCertificate('client')]
    const [ca, cert, key] = [fileOf(server.cert), fileOf(client.cert), fileOf(client.key)]
    const own = ['--tls', '--tlskey', fileOf(server.key), '--tlscert', ca]
    const { port } = await startServer([...own, '--tlsverify', '--tlscacert', cert])
    const url = `tls://localhost:${port}`
    const known = { NATS_CA_FILE: ca, NATS_CERT_FILE: cert, NATS_KEY_FILE: key }
    const [{ call }] = await Promise.all([start('asking', url, known).opened, start('answering', url, known).started])
    await until(async () => (await call('shops.find', { shop: 'tea' }).catch(() => null)) === 'a shop')
    const said = await runProcess({ NATS_URL: url, NATS_CA_FILE: ca }, 'the bus is not connected')
    expect(said).not.toContain('"msg":"ready"')
  })

  test('a server of accounts accepts the user of NATS_CREDS_FILE, also after the file was renewed', async () => {
    const { flags, makeUser } = makeAccount()
    const creds = fileOf(makeUser())
    const { port, stop } = await startServer(flags)
    const url = `nats://127.0.0.1:${port}`
    const files = { NATS_CREDS_FILE: creds }
    const [{ call }] = await Promise.all([start('asking', url, files).opened, start('answering', url, files).started])
    const asks = async () => (await call('shops.find', { shop: 'tea' }).catch(() => null)) === 'a shop'
    await until(asks)
    await stop()
    writeFileSync(creds, makeUser())
    await startServer(flags, port)
    await until(asks)
    const strange = { NATS_URL: url, NATS_CREDS_FILE: fileOf(makeAccount().makeUser()) }
    expect(await runProcess(strange, 'NATS refuses')).toContain('NATS refuses the login')
  })

  test('a wrong password is reported without its value, and accepted as soon as the server knows it', async () => {
    const { port, stop } = await startServer(byPassword)
    const { started, logged, opsPort } = start('asking', `nats://${USER}:planted-other@127.0.0.1:${port}`)
    await until(() => logged().includes('the bus is not connected: NATS refuses the login of NATS_URL'))
    expect(logged()).not.toContain('planted')
    expect(opsPort()).toBeNull() // It has not started, and has not ended.
    await stop()
    await startServer(['--user', USER, '--pass', 'planted-other'], port)
    await started
  })

  test('a password that changes on the server only is reported by /readyz until it is changed back', async () => {
    const first = await startServer(byPassword)
    const { started, logged } = start('asking', `nats://${login}@127.0.0.1:${first.port}`)
    const { opsPort } = await started
    const readiness = async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).text()
    expect(await readiness()).toBe('ready\n')
    await first.stop()
    const second = await startServer(['--user', USER, '--pass', 'another'], first.port)
    await until(async () => (await readiness()) === 'the bus is not connected: NATS refuses the login of NATS_URL\n')
    await until(() => logged().split('NATS refuses the login').length > 1)
    await second.stop()
    await startServer(byPassword, first.port)
    await until(async () => (await readiness()) === 'ready\n')
    expect(logged()).not.toContain('planted')
  })
})

function fileOf(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'bus-'))
  cleanUp.push(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'file')
  writeFileSync(path, content)
  return path
}

/** An account under an operator of its own, as `nsc` would make them: the flags of a server that knows it, and credentials of its users. */
function makeAccount() {
  const [operator, account] = [nkeys.createOperator(), nkeys.createAccount()]
  const signed = (by: ReturnType<typeof nkeys.createUser>, subject: string, type: string, claims: object) => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const body = {
      iss: by.getPublicKey(),
      sub: subject,
      iat: 1,
      jti: 'x',
      name: type,
      nats: { ...claims, type, version: 2 },
    }
    const text = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part(body)}`
    return `${text}.${Buffer.from(by.sign(Buffer.from(text))).toString('base64url')}`
  }
  const all = { subs: -1, data: -1, payload: -1 }
  const limits = { ...all, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 }
  const id = account.getPublicKey()
  const flags = [
    `operator: ${signed(operator, operator.getPublicKey(), 'operator', {})}`,
    `resolver: MEMORY`,
    `resolver_preload: { ${id}: ${signed(operator, id, 'account', { limits })} }`,
  ]
  const makeUser = () => {
    const user = nkeys.createUser()
    const seed = Buffer.from(user.getSeed()).toString()
    return `-----BEGIN NATS USER JWT-----
${signed(account, user.getPublicKey(), 'user', all)}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${seed}
------END USER NKEY SEED------
`
  }
  return { flags: ['--config', fileOf(flags.join('\n'))], makeUser }
}

async function startServer(flags: string[], port = 0) {
  const server = await startNatsServer(program ?? '', port, flags)
  cleanUp.push(() => server.stop())
  return server
}

function start(name: 'asking' | 'answering', url: string, files: Record<string, string> = {}) {
  const config = readConfig({ OPS_PORT: '0', NATS_URL: url, SECRET_KEY: 'k'.repeat(32), ...files }, 'service')
  const lines: string[] = []
  const log = openLog('info', name, { write: (line) => void lines.push(line) })
  let running: RunningProcess | null = null
  let started: Promise<RunningProcess> | null = null
  const opened = new Promise<ServiceContext>((resolve) => {
    const service: ServiceDefinition = {
      name,
      storage: null,
      needsAdminToken: false,
      dependencies: [],
      schema(context) {
        resolve(context)
        return name === 'answering' ? { actions: { 'shops.find': async () => 'a shop' } } : {}
      },
    }
    started = startProcess({ services: [service], settings: config, log }).then((one) => {
      running = one
      return one
    })
  })
  if (started === null) throw new Error('It was not started.')
  const begun: Promise<RunningProcess> = started
  leaving.push(begun)
  return { opened, started: begun, logged: () => lines.join(''), opsPort: () => running?.opsPort ?? null }
}

/** What a service as a process of its own says until it has said the words. */
async function runProcess(env: Record<string, string>, words: string): Promise<string> {
  const main = JSON.stringify(join(import.meta.dirname, 'main.ts'))
  const service = "{ name: 'one', storage: null, needsAdminToken: false, dependencies: [], schema: () => ({}) }"
  const script = `import { runService } from ${main}; await runService(${service})`
  const all = { ...childEnv, SECRET_KEY: 'k'.repeat(32), OPS_PORT: '0', ...env }
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { env: all, stdio: 'pipe' })
  const ended = new Promise((resolve) => child.once('close', resolve))
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
  }
  cleanUp.push(() => void child.kill('SIGKILL'))
  await until(() => said.includes(words) || child.exitCode !== null)
  child.kill('SIGTERM')
  await ended
  return said
}
