// Restores the archive of a shop with the command line while the command itself, the gateway, a service that writes rows or the database is
// killed, and continues with the same command. Each time the shop must be the one of the archive: another archive of it has the same bytes
// in every part. docs/spec/archives.md#restore
// node loadtest/chaos/kills/restores.ts [--rounds 20] [--orders 3000]
// Between two rounds the shop is deleted, so that the same ids can be restored again.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { zstdDecompressSync } from 'node:zlib'
import { type PartName, partOf } from '#contracts/archive/parts'
import { ADMIN_TOKEN, startCluster } from '../../cluster.ts'
import { owedBreaches } from '../../judge/stored.ts'
import { goods, stockShelf } from '../../operations.ts'
import { root } from '../../process.ts'
import { conclude, print, readOptions, seconds, until } from '../../program.ts'
import { filesOfKills } from './files.ts'
import { killService } from './victims.ts'

const HANDLE = 'restored'
const PLACED = 200 // Orders and memberships that fire events; those of the file fire none.
const POLL_MS = 2
const GONE_MS = 300_000
const COMMANDS_MAX = 5
const TRIES = 5
const BATCH_ROWS = 250
const victims = ['command', 'admin-gateway', 'auth', 'orders', 'contacts', 'catalog', 'webhooks', 'database'] as const
type Victim = (typeof victims)[number]
/** How many rows a part of an archive has, and the digest of its bytes. */
type Parts = Partial<Record<PartName, { rows: number; sha256: string }>>
/** So many rows of the part are stored when the victim is killed. */
type Moment = { part: PartName; position: number }

const options = readOptions({ rounds: 20, orders: 3_000 })
const breaches: string[] = []
const cluster = await startCluster({ counts: { 'rest-gateway': 0, 'mcp-gateway': 0 } })
const archive = join(cluster.folder, 'archive.tar.zst')
try {
  await run()
} finally {
  const codes = await cluster.stop()
  if (codes.some((code) => code !== 0)) breaches.push(`processes ended with ${codes.join(', ')}`)
}
conclude(breaches, 'every restore ended as an undisturbed one')

async function run(): Promise<void> {
  const shopId = await fillShop()
  breaches.push(...(await owedBreaches(cluster))) // What the shop owes has arrived.
  const parts = await archiveTo(archive)
  const rows = Object.entries(parts).map(([part, one]) => `${part} ${one.rows}`)
  print(`the archive has ${rows.join(', ')}`)
  await deleteShop(shopId)
  const began = performance.now()
  await restore(() => undefined)
  print(`restored undisturbed in ${seconds(performance.now() - began)}`)
  await compare('undisturbed', parts)
  await deleteShop(shopId)
  for (let round = 1; round <= options.rounds; round += 1) {
    const victim = victims[round % victims.length] ?? 'command'
    let told: string | null = null
    for (let attempt = 1; told === null && attempt <= TRIES; attempt += 1) {
      told = await disturb(victim, momentOf(victim, parts))
      await compare(`round ${round}`, parts)
      breaches.push(...(await owedBreaches(cluster)))
      await deleteShop(shopId)
    }
    if (told === null) breaches.push(`round ${round}: no restore was disturbed before its end`)
    print(`round ${round}: ${told ?? 'not disturbed'}`)
  }
}

/** Returns what was killed, when, and how the restore went on; null where it was completed before. */
async function disturb(victim: Victim, moment: Moment): Promise<string | null> {
  let seen: Moment | null = null
  let killedAt = 0
  let ready = async () => undefined as void
  const [began, commands] = [performance.now(), [] as string[]]
  await restore(async (command) => {
    commands.push('command')
    if (commands.length > 1) return
    seen = await waitForMoment(moment, command)
    killedAt = Date.now()
    if (victim === 'command') command.kill('SIGKILL')
    else ready = await killService(cluster, victim)
  })
  await ready()
  const [row] = await cluster.query<{ finished_at: Date }>(
    `select finished_at from auth.restores where status = 'completed' order by created_at desc limit 1`,
  )
  if (seen === null || row === undefined || row.finished_at.getTime() <= killedAt) return null
  const { part, position } = seen as Moment
  const how = commands.length === 1 ? 'the same command went on' : `${commands.length} commands`
  return `${victim} killed after ${position} rows of ${part}; ${how}, ${seconds(performance.now() - began)} in all`
}

/** Runs the command until it succeeds, as a person would who sees it fail. `beside` runs beside each. */
async function restore(beside: (command: ChildProcess) => unknown): Promise<void> {
  let said = ''
  for (let count = 1; count <= COMMANDS_MAX; count += 1) {
    const command = startCommand('restore', archive, '--shop', HANDLE, '--json')
    said = ''
    command.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    const ended = once(command, 'close') as Promise<[number | null]>
    await beside(command)
    const [code] = await ended
    if (code === 0) return
  }
  throw new Error(`The restore failed ${COMMANDS_MAX} times: ${said}`)
}

/** A random place in a part that the victim writes, or in any part that takes several batches. */
function momentOf(victim: Victim, parts: Parts): Moment {
  const large = Object.entries(parts).flatMap(([name, { rows }]) => {
    return rows >= 2 * BATCH_ROWS ? [{ part: name as PartName, rows }] : []
  })
  const own = large.filter(({ part }) => partOf(part).service === victim)
  const candidates = own.length > 0 ? own : large
  const chosen = candidates[Math.floor(Math.random() * candidates.length)]
  if (chosen === undefined) throw new Error('No part takes several batches.')
  return { part: chosen.part, position: Math.floor(Math.random() * (chosen.rows - BATCH_ROWS)) }
}

/** What is stored of the part when the moment has come; null where the command ended before. */
async function waitForMoment({ part, position }: Moment, command: ChildProcess): Promise<Moment | null> {
  const session = await cluster.session()
  const text = `select coalesce((positions ->> $1)::int, 0) as stored from auth.restores where status = 'running'`
  try {
    while (command.exitCode === null && command.signalCode === null) {
      const { rows } = await session.query<{ stored: number }>(text, [part])
      const stored = rows[0]?.stored ?? 0
      if (stored > 0 && stored >= position) return { part, position: stored }
      await sleep(POLL_MS)
    }
    return null
  } finally {
    await session.end()
  }
}

async function compare(name: string, wanted: Parts): Promise<void> {
  const parts = await archiveTo(join(cluster.folder, `${name.replaceAll(' ', '-')}-${Date.now()}.tar.zst`))
  for (const [part, one] of Object.entries(wanted)) {
    const own = parts[part as PartName]
    if (own?.sha256 !== one.sha256) breaches.push(`${name}: ${part} differs: ${own?.rows} rows instead of ${one.rows}`)
  }
}

async function archiveTo(out: string): Promise<Parts> {
  const [code] = (await once(startCommand('archive', '--shop', HANDLE, '--out', out), 'exit')) as [number | null]
  if (code !== 0) throw new Error(`The archive was not written: exit status ${code}.`)
  return partsIn(zstdDecompressSync(readFileSync(out)))
}

/** The parts by the manifest, which is the last file of the archive. docs/spec/archives.md#file */
function partsIn(tar: Buffer): Parts {
  const header = tar.lastIndexOf('manifest.json\0')
  const size = Number.parseInt(tar.toString('latin1', header + 124, header + 135), 8)
  return (JSON.parse(tar.toString('utf8', header + 512, header + 512 + size)) as { parts: Parts }).parts
}

function startCommand(...args: string[]): ChildProcess {
  const { port } = new URL(cluster.of('admin-gateway')[0]?.adminUrl ?? '')
  const env = { ADMIN_TOKEN, ADMIN_PORT: port, ARCHIVE_PASSPHRASE: '' }
  return spawn(process.execPath, [join(root, 'cli/storefront.ts'), ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
}

/** Resolves when the shop is gone and may be restored with its ids. */
async function deleteShop(shopId: string): Promise<void> {
  await cluster.client.call('DELETE', `/shops/${shopId}`, { handle: HANDLE })
  const text = `select from auth.shop_deletions where shop_id = $1 and (gone_at is null or (lease is not null and next_at > now()))`
  const isGone = await until(async () => (await cluster.query(text, [shopId])).length === 0, GONE_MS, 100)
  if (!isGone) throw new Error('The shop is not gone.')
}

/** The id of a shop with products, contacts, orders with and without events, memberships and an endpoint. */
async function fillShop(): Promise<string> {
  const { shop, membership } = await stockShelf(cluster.client, HANDLE)
  const make = (path: string, body: object = {}) => cluster.client.call('POST', `/shops/${HANDLE}${path}`, body)
  const orders = filesOfKills(options.orders).find(({ name }) => name === 'many orders')?.text ?? ''
  for (const body of [readFileSync(join(root, 'deploy/demo/shopify-products.csv'), 'utf8'), orders]) {
    const path = `/shops/${HANDLE}/imports?create_contacts=true`
    const command = { method: 'POST', path, headers: { 'content-type': 'text/csv' }, body, timeoutMs: 120_000 }
    const { status, text } = await cluster.client.send(command)
    if (status !== 201) throw new Error(`An import was answered with ${status}: ${text}`)
  }
  for (let number = 0; number < PLACED; number += 1) {
    const customer = { name: 'Ada', email: `ada-${number}@example.com` }
    const order = await make('/orders', { paymentMethod: 'card', customer, items: goods })
    await make(`/orders/${String(order.id)}/refund`, { amount: { cents: 100 } })
    const contact = await make('/contacts', { ...customer, name: 'Eve', email: `eve-${number}@example.com` })
    await make('/subscriptions', { productId: membership, clientId: contact.id, billingMode: 'processor' })
  }
  return shop.id
}
