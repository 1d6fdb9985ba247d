// A restore that is killed at six moments, its client three times and the product three times, and continued each time, has the same end as
// one that was left alone (docs/spec/archives.md#restore).
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childEnv } from '#testing/child-env'
import { createDatabase, openClient, type TestDatabase } from '#testing/database'
import { duringTests } from '#testing/during-tests'
import { type FullShop, makeFullShop } from '#testing/product/every-move'
import { exchange } from '#testing/product/http'
import { openStack } from '#testing/product/stack'
import { type MailReceiver, openMailReceiver } from '#testing/servers/mail-receiver'
import { until } from '#testing/until'
import { type BackOffice, openBackOffice } from '../office/back-office.ts'
import { restoreArchive } from './restore.ts'
import { verifyArchive } from './verify.ts'
import { writeArchive } from './write-archive.ts'

const ADMIN_TOKEN = 'an-operator-token-for-tests-only'
const ORDERS = 800 // More than three batches.
const root = join(import.meta.dirname, '../..')
const start = join(root, 'deploy/dev/start.ts')

let mails: MailReceiver
const source = duringTests(async () => {
  mails = await openMailReceiver()
  return openStack({ form: 'one-process', env: { SMTP_URL: mails.smtpUrl } })
})
let folder: string
let shop: FullShop
let target: TestDatabase
let product: { child: ChildProcess; office: BackOffice }

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'storefront-killed-'))
  shop = await makeFullShop(source, mails)
  await importOrders()
  target = await createDatabase()
  product = await startProduct()
}, 120_000)
afterAll(async () => {
  await stop('SIGTERM')
  await target.drop()
  await mails.close()
  rmSync(folder, { recursive: true })
})

async function importOrders(): Promise<void> {
  const head =
    'Name,Email,Financial Status,Created at,Currency,Subtotal,Shipping,Taxes,Total,Lineitem quantity,Lineitem name,Lineitem price'
  const lines = Array.from(
    { length: ORDERS },
    (_, index) =>
      `#${5_000 + index},buyer${index % 90}@example.com,paid,2025-05-01 10:00:00 +0000,GBP,9.50,0.00,0.00,9.50,1,Lamp,9.50`,
  )
  const path = `/admin/v1/shops/${shop.handle}/imports?format=shopify-orders&create_contacts=true`
  const { body, text } = await exchange(source.adminPorts[0] ?? 0, path, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'text/csv' },
    body: [head, ...lines].join('\n'),
  })
  const { data } = body as { data?: { created: number } }
  if ((data?.created ?? 0) < ORDERS) throw new Error(`The import answered ${text}`)
}

async function startProduct(): Promise<typeof product> {
  const env = {
    ...childEnv,
    ADMIN_TOKEN,
    PORT: '0',
    ADMIN_PORT: '0',
    OPS_PORT: '0',
    DEMO: 'false',
    DATABASE_URL: target.url,
    DATA_DIR: join(folder, 'data'),
  }
  const child = spawn(process.execPath, [start], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
  }
  const [, url = ''] = await until(() => {
    if (child.exitCode !== null) throw new Error(`The product did not start: ${said}`)
    return /Back office +(http:\S+)/.exec(said)
  })
  return { child, office: openBackOffice(new URL(url).origin, ADMIN_TOKEN) }
}

async function stop(signal: NodeJS.Signals): Promise<void> {
  const { child } = product
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

async function partsOf(office: BackOffice, name: string) {
  const out = join(folder, name)
  const { parts } = await writeArchive(office, { shopPath: `/shops/${shop.handle}`, out, passphrase: null })
  return { out, parts: Object.entries(parts).map(([part, { rows, sha256 }]) => ({ part, rows, sha256 })) }
}

/** `who` is killed at the call whose path ends so, when `before` such calls were made: the client before it, the product while it runs. */
type Moment = { who: 'client' | 'product'; call: string; before: number }
const moments: Moment[] = [
  { who: 'client', call: '/parts/webhook-endpoints', before: 0 },
  { who: 'product', call: '/parts/orders', before: 0 },
  { who: 'client', call: '/parts/orders', before: 2 },
  { who: 'product', call: '/parts/contacts', before: 0 },
  { who: 'client', call: '/finish', before: 0 },
  { who: 'product', call: '/finish', before: 0 },
]

/** The back office until the moment comes; resolves `reached` when it has come. */
function officeUntil({ who, call, before }: Moment, reached: () => void): Pick<BackOffice, 'call'> {
  let seen = 0
  let isDead = false
  return {
    async call(method, path, body) {
      if (isDead) throw new Error('The client is dead.')
      if (!path.endsWith(call)) return product.office.call(method, path, body)
      seen += 1
      if (seen <= before) return product.office.call(method, path, body)
      reached()
      if (who === 'client') {
        isDead = true
        throw new Error('The client is dead.')
      }
      const answer = product.office.call(method, path, body)
      const [result] = await Promise.allSettled([answer, stop('SIGKILL')])
      if (result.status === 'rejected') throw result.reason
      return result.value
    },
  }
}

test('a restore that is killed at six moments and continued has the same end as its archive says', async () => {
  const { out, parts } = await partsOf(openBackOffice(`http://127.0.0.1:${source.adminPorts[0]}`, ADMIN_TOKEN), 'first')
  const verified = await verifyArchive(out)
  const wish = { file: out, handle: shop.handle, newIds: false, events: false }
  const reached: Moment[] = []
  for (const moment of moments) {
    const office = officeUntil(moment, () => void reached.push(moment))
    // A product that was killed may have done the call before.
    await restoreArchive(office, verified, wish, () => undefined, []).catch((error: unknown) => error)
    if (product.child.signalCode !== null) product = await startProduct()
  }
  expect(reached).toEqual(moments)
  const done = await restoreArchive(product.office, verified, wish, () => undefined)
  expect(done).toMatchObject({ status: 'completed', shopId: shop.id })
  expect((await partsOf(product.office, 'again')).parts).toEqual(parts)
  const client = await openClient(target.url)
  const { rows } = await client.query('select from subscriptions.timers where lease_until is not null')
  const events = await client.query('select from orders.events union all select from subscriptions.events')
  await client.close()
  expect([rows.length, events.rows.length]).toEqual([0, 0])
}, 120_000)
