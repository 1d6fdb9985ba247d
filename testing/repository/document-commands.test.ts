// Runs the commands of the documents: the product is started once, as `npm start` does, and every line of a `sh` block runs
// against it. A command that cannot run here stands in `elsewhere`; any other unknown command is a failure.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { findProgram } from '#local-servers/find-program'
import { duringTests } from '#testing/during-tests'
import { childEnv } from '#testing/child-env'
import { openBackOffice } from '../product/back-office.ts'
import { exchange } from '../product/http.ts'
import { isSigned, openReceiver } from '../servers/receiver.ts'
import { until } from '../until.ts'
import { describeWhere } from '../where-possible.ts'

/** Commands that need what a test run does not have, by their beginning, with the test that covers them. */
const elsewhere: { begins: string; reason: string; coveredBy: string }[] = [
  { begins: 'npm ci', reason: 'replaces node_modules under this run', coveredBy: '.ci/run' },
  { begins: 'npm test', reason: 'is this run', coveredBy: '.ci/run' },
  { begins: 'npm run migrate', reason: 'the image runs the same', coveredBy: 'deploy/image/image.test.ts' },
  { begins: 'npm run render', reason: 'is tested for each service', coveredBy: 'services/orders/render.test.ts' },
  { begins: 'npm run bench', reason: 'takes minutes', coveredBy: 'loadtest/bench/report.test.ts' },
  { begins: 'node loadtest/bench/', reason: 'takes minutes', coveredBy: 'loadtest/bench/report.test.ts' },
  { begins: 'npm run soak', reason: 'takes ten minutes', coveredBy: 'loadtest/bench/report.test.ts' },
  { begins: 'npm run load', reason: 'takes minutes', coveredBy: 'loadtest/k6/load.test.ts' },
  { begins: 'npm run sync', reason: 'takes minutes', coveredBy: 'services/rest-gateway/sync.test.ts' },
  { begins: 'npm run chaos', reason: 'takes many minutes', coveredBy: 'loadtest/tcp-proxy.test.ts' },
  { begins: 'node loadtest/chaos/', reason: 'takes many minutes', coveredBy: 'loadtest/tcp-proxy.test.ts' },
  { begins: 'node services/', reason: 'needs a NATS server', coveredBy: 'deploy/image/image.test.ts' },
  { begins: 'WEBHOOK_ALLOW_PRIVATE=true npm start', reason: 'runs already', coveredBy: 'cli/newcomer.test.ts' },
  { begins: 'node -e', reason: 'never ends', coveredBy: 'cli/newcomer.test.ts' },
  { begins: 'pg_dump ', reason: 'needs PostgreSQL 18', coveredBy: 'deploy/restore.test.ts' },
  { begins: 'psql ', reason: 'needs PostgreSQL 18', coveredBy: 'deploy/restore.test.ts' },
  { begins: 'pg_basebackup ', reason: 'needs PostgreSQL 18', coveredBy: 'deploy/restore.test.ts' },
  { begins: 'cp -R base', reason: 'needs PostgreSQL 18', coveredBy: 'deploy/restore.test.ts' },
  { begins: 'echo "re', reason: 'needs PostgreSQL 18', coveredBy: 'deploy/restore.test.ts' },
  { begins: 'touch "$NEW_DATA', reason: 'needs PostgreSQL 18', coveredBy: 'deploy/restore.test.ts' },
  { begins: 'npm run restored', reason: 'needs a backup', coveredBy: 'deploy/restore.test.ts' },
  { begins: 'pg_restore ', reason: 'needs PostgreSQL 18', coveredBy: 'deploy/restore.test.ts' },
  { begins: 'tar ', reason: 'needs a stopped product', coveredBy: 'deploy/restore.test.ts' },
  { begins: 'mkdir -p "$DATA_DIR"', reason: 'needs a stopped product', coveredBy: 'deploy/restore.test.ts' },
  { begins: 'npm version', reason: 'makes a release', coveredBy: 'testing/repository/documents.test.ts' },
  { begins: 'sed -i', reason: 'makes a release', coveredBy: 'testing/repository/documents.test.ts' },
  { begins: 'git ', reason: 'makes a release', coveredBy: 'testing/repository/documents.test.ts' },
  { begins: 'npm pack ./cli', reason: 'is packed there', coveredBy: 'cli/package/package.test.ts' },
  { begins: 'npm pack ./clients', reason: 'is packed there', coveredBy: 'clients/typescript.test.ts' },
  { begins: 'pip wheel', reason: 'is packed there', coveredBy: 'clients/python.test.ts' },
  { begins: 'docker build', reason: 'needs Docker', coveredBy: 'deploy/image/image.test.ts' },
  { begins: 'docker compose', reason: 'needs Docker', coveredBy: 'deploy/compose.test.ts' },
  { begins: 'helm ', reason: 'needs a cluster', coveredBy: 'helm/chart.test.ts' },
  { begins: 'kubectl ', reason: 'needs a cluster', coveredBy: 'helm/chart.test.ts' },
  { begins: 'claude ', reason: 'needs that client', coveredBy: 'services/mcp-gateway/clients.test.ts' },
  { begins: 'gemini ', reason: 'needs that client', coveredBy: 'services/mcp-gateway/clients.test.ts' },
  { begins: 'MCP_OAUTH=true', reason: 'never ends', coveredBy: 'services/mcp-gateway/oauth/guide.test.ts' },
  { begins: 'npm install @model', reason: 'is there', coveredBy: 'services/mcp-gateway/oauth/guide.test.ts' },
  { begins: 'node agent.mjs', reason: 'needs a sign-in', coveredBy: 'services/mcp-gateway/oauth/guide.test.ts' },
]
const runsHere = /^(curl |npm run (-s )?storefront -- |[A-Z_]+=)/

const root = join(import.meta.dirname, '../..')
const blocks = shellBlocks()
const listens = (line: string) => line.startsWith('npm run storefront -- listen')
const isElsewhere = (line: string) => elsewhere.some(({ begins }) => line.startsWith(begins))

test('every command of a document runs here or stands in the table', () => {
  const lines = blocks.flatMap(({ name, lines: own }) => own.map((line) => ({ name, line })))
  expect(lines.filter(({ line }) => !runsHere.test(line) && !isElsewhere(line))).toEqual([])
})

test('npm runs the program of the command line that the commands below run', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
  expect(manifest.scripts.storefront).toBe('node cli/storefront.ts')
})

test('every row of the table is of use, and the file that covers it exists', () => {
  const lines = blocks.flatMap((block) => block.lines)
  const unused = elsewhere.filter(({ begins }) => !lines.some((line) => line.startsWith(begins)))
  const missing = elsewhere.filter(({ coveredBy }) => !existsSync(join(root, coveredBy)))
  expect({ unused, missing }).toEqual({ unused: [], missing: [] })
})

// A failed request fails its command; npm, which takes longer than most commands, is replaced by the script that it would start.
const functions = [
  'curl() { command curl --silent --show-error --fail-with-body "$@"; }',
  'npm() { while [ "$1" != -- ]; do shift; done; shift; node cli/storefront.ts "$@"; }',
]
const hasPrograms = ['curl', 'openssl'].every((name) => findProgram(name, process.env.PATH ?? '') !== null)
describeWhere(hasPrograms, 'curl or openssl is missing')('against the product of `npm start`', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  let folder: string
  let product: Product
  const receiver = duringTests(() => openReceiver())
  let env: Record<string, string>
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'storefront-documents-'))
    // What a command writes lands in this folder and not in the tree.
    const linked = readdirSync(root).filter((name) => name !== '.git' && name !== '.data')
    for (const name of linked) symlinkSync(join(root, name), join(folder, name))
    const dataDir = join(folder, '.test-data')
    product = await startProduct(dataDir)
    const office = openBackOffice(Number(new URL(product.adminUrl).port), product.adminToken)
    const shop = await office.makeShop({ handle: 'demo', name: 'The Gift Room', mode: 'test' })
    const keys = { read: await office.makeKey(shop.id, 'read'), write: await office.makeKey(shop.id, 'write') }
    // Where `npm start` keeps what it prints.
    const secrets = join(folder, '.data/secrets')
    mkdirSync(secrets, { recursive: true })
    writeFileSync(join(secrets, 'demo-read-key'), keys.read.secret)
    writeFileSync(join(secrets, 'demo-write-key'), keys.write.secret)
    writeFileSync(join(secrets, 'ADMIN_TOKEN'), product.adminToken)
    env = {
      ...childEnv,
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      HOME: folder,
      DATA_DIR: dataDir,
      KEY: keys.read.secret,
      WRITE_KEY: keys.write.secret,
      ADMIN_TOKEN: product.adminToken,
      ADMIN_PORT: new URL(product.adminUrl).port,
    }
    for (let count = 0; count < 2; count += 1) await makeCompletedOrder(office, shop.id)
  })
  afterAll(async () => {
    await product.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const here = (line: string) =>
    line
      .replaceAll('http://127.0.0.1:3000', product.publicUrl)
      .replaceAll('http://127.0.0.1:3100', product.adminUrl)
      .replaceAll(/https:\/\/example\.com\/hook|http:\/\/localhost:4000\/hook/g, receiver.url)
      .replaceAll('whsec_…', secret)

  const runnable = blocks.filter(({ lines }) => lines.some((line) => runsHere.test(line) && !listens(line)))
  test.each(runnable)('$name', async ({ lines }) => {
    const commands = lines.filter((line) => !isElsewhere(line) && !listens(line)).map(here)
    const script = [...functions, ...commands].join('\n')
    const ended = await run('sh', ['-e', '-c', script], { cwd: folder, env }).ended
    expect(ended).toEqual({ status: 0, out: expect.not.stringMatching(/"isError":true|"error":/), err: ended.err })
  })

  test.each([...new Set(blocks.flatMap(({ lines }) => lines.filter(listens)))])('%s', async (line) => {
    const before = receiver.received.length
    const command = here(line).replace('npm run storefront --', 'exec node cli/storefront.ts')
    const listening = run('sh', ['-c', command], { cwd: folder, env })
    const isForwarding = line.includes('--forward-to')
    await until(() => listening.soFar().includes(isForwarding ? 'signed with' : 'Ctrl-C ends it'))
    const [, signing = ''] = /signed with (\S+)/.exec(listening.soFar()) ?? []
    const office = openBackOffice(Number(new URL(product.adminUrl).port), product.adminToken)
    await makeCompletedOrder(office, 'demo')
    await until(() => listening.soFar().includes('order.completed'))
    listening.child.kill('SIGINT')
    expect((await listening.ended).status).toBe(0)
    if (!isForwarding) return
    const events = receiver.received.slice(before).filter((request) => isSigned(request, signing))
    expect(events.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toContain('order.completed')
  })

  test('the signature that the guide computes in the shell is accepted by the official package', () => {
    const signed = receiver.received.filter((request) => isSigned(request, secret))
    expect(signed.map(({ headers }) => headers['webhook-id'])).toEqual(['test-1'])
  })

  test('the response that the README shows has the form of the real one', async () => {
    const [, shown = ''] = /```json\n([^]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
    const target = '/api/v1/orders?status=completed&limit=1'
    const headers = { authorization: `Bearer ${env.KEY}` }
    const { body } = await exchange(Number(new URL(product.publicUrl).port), target, { headers })
    expect(body).toEqual(formOf(JSON.parse(shown)))
  })
})

type Block = { name: string; lines: string[] }

/** The commands of every `sh` block of every document, continued lines joined. */
function shellBlocks(): Block[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], { cwd: root, encoding: 'utf8' })
  const documents = listed.split('\n').filter((path) => path !== '' && existsSync(join(root, path)))
  return documents.flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return [...text.matchAll(/^```sh\n([^]*?)^```/gm)].map(({ 1: code = '', index }) => {
      const lines = code.replaceAll(/\\\n\s*/g, '').split('\n')
      const name = `${path}:${text.slice(0, index).split('\n').length}`
      return { name, lines: lines.filter((line) => line.trim() !== '' && !line.startsWith('#')) }
    })
  })
}

type Product = { publicUrl: string; adminUrl: string; adminToken: string; stop(): Promise<unknown> }

/** The program of `npm start`, on free ports and without the demo shop, which takes longer to fill than all commands. */
async function startProduct(dataDir: string): Promise<Product> {
  const ports = { PORT: '0', ADMIN_PORT: '0', OPS_PORT: '0' }
  const env = { ...childEnv, DATA_DIR: dataDir, DEMO: 'false', WEBHOOK_ALLOW_PRIVATE: 'true', ...ports }
  const started = run(process.execPath, ['deploy/dev/start.ts'], { cwd: root, env })
  await until(() => started.soFar().includes('Admin token') || started.child.exitCode !== null)
  const valueOf = (name: string) => new RegExp(`${name} +(\\S+)`).exec(started.soFar())?.[1] ?? ''
  return {
    publicUrl: new URL(valueOf('Base URL')).origin,
    adminUrl: new URL(valueOf('Back office')).origin,
    adminToken: valueOf('Admin token'),
    stop() {
      started.child.kill('SIGTERM')
      return started.ended
    },
  }
}

async function makeCompletedOrder({ admin, makeOrder }: ReturnType<typeof openBackOffice>, shop: string) {
  const items = [{ title: 'Cushion patterns to print', kind: 'digital', quantity: 3, unitPrice: { cents: 750 } }]
  const customer = { name: 'Maya Lindqvist', email: 'maya@example.com', phone: '+441174960077' }
  const { id } = await makeOrder(shop, { paymentMethod: 'card', items, customer })
  for (const move of ['confirm', 'complete']) await admin('POST', `/shops/${shop}/orders/${id}/${move}`, {})
}

type Ended = { status: number | null; out: string; err: string }
type Running = { child: ChildProcess; soFar(): string; ended: Promise<Ended> }

function run(program: string, args: string[], options: { cwd: string; env: Record<string, string> }): Running {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const text = { out: '', err: '' }
  child.stdout.on('data', (chunk: Buffer) => {
    text.out += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    text.err += chunk.toString()
  })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status) => resolve({ status, ...text }))
  })
  return { child, soFar: () => text.out, ended }
}

/** A matcher of values with at least the same fields, of the same types. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(formOf)
  if (value === null || typeof value !== 'object') return expect.any((value as object).constructor as never)
  return expect.objectContaining(Object.fromEntries(Object.entries(value).map(([name, one]) => [name, formOf(one)])))
}
