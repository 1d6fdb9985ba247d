// The demo shop, archived, restored in another installation and archived there, has the same bytes in every part (docs/spec/archives.md).
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStack, type Stack } from '#testing/product/stack'
import { restoreArchive } from '../../cli/archive/restore.ts'
import { verifyArchive } from '../../cli/archive/verify.ts'
import { writeArchive } from '../../cli/archive/write-archive.ts'
import { openBackOffice } from '../../cli/office/back-office.ts'
import { openDemo } from './demo.ts'
import { moveEndpoints } from './endpoints.ts'
import { fillDemo } from './fill-demo.ts'
import { type DemoReceiver, openDemoReceiver } from './receiver.ts'

const ADMIN_TOKEN = 'an-operator-token-for-tests-only'
const RETAIL_DAY = '2010-12-09.csv' // One is as good as all of them.

let stack: Stack
let elsewhere: Stack
let receiver: DemoReceiver
let dataDir: string

beforeAll(async () => {
  receiver = await openDemoReceiver(0)
  stack = await openStack({ form: 'one-process', webhookAllowedOrigin: receiver.origin })
  elsewhere = await openStack({ form: 'one-process' })
  dataDir = mkdtempSync(join(tmpdir(), 'storefront-demo-archive-'))
  mkdirSync(join(dataDir, 'secrets'))
  const days = readdirSync(join(import.meta.dirname, 'online-retail')).filter((day) => day !== RETAIL_DAY)
  writeFileSync(join(dataDir, 'demo-steps'), days.map((day) => `online-retail/${day}\n`).join(''))
  const url = (port = 0) => `http://127.0.0.1:${port}`
  const access = { adminUrl: url(stack.adminPorts[0]), adminToken: ADMIN_TOKEN, dataDir }
  const shop = await openDemo(access)
  await moveEndpoints(access, shop.handle, receiver.origin)
  await fillDemo(
    access,
    shop,
    { restUrl: url(stack.ports[0]), mcpUrl: url(stack.mcpPorts[0]), receiver },
    () => undefined,
  )
}, 120_000)
afterAll(async () => {
  await stack.stop()
  await elsewhere.stop()
  await receiver.stop()
  rmSync(dataDir, { recursive: true })
})

const officeOf = ({ adminPorts }: Stack) => openBackOffice(`http://127.0.0.1:${adminPorts[0]}`, ADMIN_TOKEN)

test('the demo shop comes back the same in another installation', async () => {
  const write = async (from: Stack, name: string) => {
    const out = join(dataDir, name)
    const { parts } = await writeArchive(officeOf(from), { shopPath: '/shops/demo', out, passphrase: null })
    return { out, parts: Object.entries(parts).map(([part, { rows, sha256 }]) => ({ part, rows, sha256 })) }
  }
  const { out, parts } = await write(stack, 'demo.tar.zst')
  const rows = Object.fromEntries(parts.map(({ part, rows: count }) => [part, count]))
  for (const part of ['products', 'contacts', 'orders', 'subscriptions', 'events', 'webhook-endpoints']) {
    expect([part, (rows[part] ?? 0) > 0]).toEqual([part, true])
  }
  const wish = { file: out, handle: 'demo', newIds: false, events: false }
  const done = await restoreArchive(officeOf(elsewhere), await verifyArchive(out), wish, () => undefined)
  expect(done).toMatchObject({ status: 'completed', handle: 'demo' })
  expect((await write(elsewhere, 'again.tar.zst')).parts).toEqual(parts)
}, 60_000)
