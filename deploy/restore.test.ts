// Restores backups as docs/guides/backup.md says, by its own commands: a dump into an empty server, a base backup with archived log files
// to a point in time, and the copied data folder. The restored product answers as the one that was backed up.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { startEmbedded } from '#postgres/embedded/embedded'
import { childEnv } from '#testing/child-env'
import { openClient } from '#testing/database'
import { duringTests } from '#testing/during-tests'
import { startProduct, type StartedProduct } from '#testing/product/started-product'
import { isSigned, openReceiver } from '#testing/servers/receiver'
import { until } from '#testing/until'
import { describeWhere } from '#testing/where-possible'

type Event = { id: string; type: string; sequence: number; epoch: number; data: { id: string } }
type Events = { data: Event[]; next_cursor: string }
type Shop = { id: string; key: string; order: string; endpoint: { id: string; secret: string }; cursor: string }

const SERVER_VERSION = 18
const root = join(import.meta.dirname, '..')
const guide = readFileSync(join(root, 'docs/guides/backup.md'), 'utf8')
const [dump = '', baseBackup = '', restore = '', beginEpoch = '', recover = '', pack = '', unpack = ''] = [
  ...guide.matchAll(/^```sh\n([^]*?)^```/gm),
].map(([, lines = '']) => lines)
const clientFolder = findClient()
const path = [clientFolder, childEnv.PATH].join(delimiter)

// With CI=true a missing program is a failure, and .ci/run installs it.
const where = describeWhere(clientFolder !== null || process.env.CI === 'true', 'pg_dump 18 is missing')
where('a backup', () => {
  const receiver = duringTests(() => openReceiver())
  const running: StartedProduct[] = []
  let folder: string
  let original: StartedProduct
  let secretKey: string
  let shop: Shop
  let before: Record<string, unknown>
  let empty: Awaited<ReturnType<typeof startEmbedded>>

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'storefront-restore-'))
    original = await start({ DATA_DIR: join(folder, 'data') })
    secretKey = readFileSync(join(folder, 'data/secrets/SECRET_KEY'), 'utf8').trim()
    shop = await fillShop(original, receiver.url)
    before = await answersOf(original, shop)
    runInShell(dump, { DATABASE_URL: urlOfEmbedded(join(folder, 'data')) })
    // What happens after the backup is lost.
    await original.admin('POST', `/shops/${shop.id}/orders/${shop.order}/ship`, {})
    await until(async () => (await eventsOf(original)).at(-1)?.type === 'order.shipped')
  }, 120_000)
  afterAll(async () => {
    for (const product of running) await product.stop()
    await empty?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('of pg_dump restores every answer into an empty server, with the SECRET_KEY of the backup', async () => {
    mkdirSync(join(folder, 'empty'))
    empty = await startEmbedded({ dataDir: join(folder, 'empty'), log: () => undefined, settings: ['fsync=off'] })
    runInShell(restore, { NEW_DATABASE_URL: empty.url })
    runInShell(beginEpoch, databaseOf(empty.url))
    const restored = await start({ ...databaseOf(empty.url), SECRET_KEY: secretKey })
    expect(await answersOf(restored, shop)).toEqual(before)
    const first = await original.post('/api/v1/contacts', shop.key, { email: 'ada@example.com' }, 'once')
    const again = await restored.post('/api/v1/contacts', shop.key, { email: 'ada@example.com' }, 'once')
    expect([again.status, again.body]).toEqual([first.status, first.body])
    await restored.admin('POST', `/shops/${shop.id}/webhook-endpoints/${shop.endpoint.id}/test`, {
      event: 'order.paid',
    })
    await until(() => receiver.received.some(({ body }) => body.includes('"test":true')))
    expect(receiver.received.every((request) => isSigned(request, shop.endpoint.secret))).toBe(true)
  }, 60_000)

  test('lets the sequence of an object go back: a number is used again by another event, whose epoch is greater', async () => {
    const [restored = original] = running.slice(1)
    const lost = (await eventsOf(original)).at(-1)
    await restored.admin('POST', `/shops/${shop.id}/orders/${shop.order}/cancel`, { refund: true })
    const again = async () => (await eventsOf(restored)).find(({ sequence }) => sequence === lost?.sequence)
    await until(async () => (await again()) !== undefined)
    const event = await again()
    expect(event?.id).not.toBe(lost?.id)
    expect([lost?.epoch, (event?.epoch ?? 0) > 0]).toEqual([0, true])
    const isSent = (body: string) => (JSON.parse(body) as Event).id === event?.id
    await until(() => receiver.received.some(({ body }) => isSent(body)))
  })

  test('does not start under another SECRET_KEY while it has the secret of an endpoint', async () => {
    await running[1]?.stop()
    await expect(start({ ...databaseOf(empty.url), SECRET_KEY: 'another secret of 32 characters.' })).rejects.toThrow(
      'A webhook secret was sealed under another SECRET_KEY',
    )
  }, 60_000)

  test('of the data folder restores every answer, with the secrets in it', async () => {
    const shipped = await answersOf(original, shop)
    await original.stop()
    const env = { DATA_DIR: 'data' }
    runInShell(pack, env)
    rmSync(join(folder, 'data'), { recursive: true })
    runInShell(unpack, env)
    const restored = await start({ DATA_DIR: join(folder, 'data') })
    expect(await answersOf(restored, shop)).toEqual(shipped)
  }, 60_000)

  test('of a base backup and archived log files restores the database to an instant; cursors of events that are lost go on', async () => {
    const archive = join(folder, 'archive')
    mkdirSync(archive)
    chmodSync(archive, 0o777) // Its server runs as another user than root.
    chmodSync(folder, 0o711)
    const settings = ['archive_mode=on', `archive_command=test ! -f ${archive}/%f && cp %p ${archive}/%f`]
    mkdirSync(join(folder, 'archiving'))
    const server = await startEmbedded({ dataDir: join(folder, 'archiving'), log: () => undefined, settings })
    const product = await start({ ...databaseOf(server.url), SECRET_KEY: secretKey })
    const own = await fillShop(product, receiver.url)
    runInShell(baseBackup, { DATABASE_URL: server.url })
    const move = (moved: StartedProduct, name: string) =>
      moved.admin('POST', `/shops/${own.id}/orders/${own.order}/${name}`, {})
    await move(product, 'ship')
    const feed = async ({ get }: StartedProduct, cursor: string) =>
      (await get(`/api/v1/events?limit=100${cursor}`, own.key)).body as Events
    await until(async () => (await feed(product, '')).data[0]?.type === 'order.shipped')
    const kept = await answersOf(product, own)
    const instant = await valueOn(server.url, "select to_char(clock_timestamp(), 'YYYY-MM-DD HH24:MI:SS.USOF')")
    await move(product, 'complete')
    await until(async () => (await feed(product, '')).data[0]?.type === 'order.completed')
    const lost = await feed(product, '')
    await product.stop()
    const last = await valueOn(server.url, 'select pg_walfile_name(pg_switch_wal())')
    await until(async () => (await valueOn(server.url, 'select last_archived_wal from pg_stat_archiver')) >= last)
    await server.stop()

    const restored = join(folder, 'recovered/postgres')
    mkdirSync(restored, { recursive: true })
    cpSync(join(folder, 'archiving/postgres/password'), join(restored, 'password'))
    runInShell(recover, { NEW_DATA: join(restored, 'data'), ARCHIVE: archive, INSTANT: instant })
    const { uid, gid } = statSync(join(folder, 'archiving/postgres/data'))
    execFileSync('chown', ['-R', `${uid}:${gid}`, join(restored, 'data')])
    const recovered = await startEmbedded({
      dataDir: join(folder, 'recovered'),
      log: () => undefined,
      settings: ['fsync=off'],
    })
    runInShell(beginEpoch, databaseOf(recovered.url))
    const again = await start({ ...databaseOf(recovered.url), SECRET_KEY: secretKey })
    expect(await answersOf(again, own)).toEqual(kept)
    await move(again, 'complete')
    const behind = () => feed(again, `&cursor=${lost.next_cursor}`)
    await until(async () => (await behind()).data.length > 0)
    const [event, ...others] = (await behind()).data
    expect([event?.type, event?.sequence, others]).toEqual(['order.completed', lost.data[0]?.sequence, []])
    expect(event?.epoch).toBeGreaterThan(lost.data[0]?.epoch ?? 0)
    await again.stop()
    await recovered.stop()
  }, 120_000)

  /** Runs a block of the guide in the folder of this test, in which `deploy` is the one of the repository. */
  function runInShell(lines: string, env: Record<string, string>): void {
    const script = lines
      .replace('deploy/roles.sql', join(root, 'deploy/roles.sql'))
      .replace('npm run restored', `${process.execPath} ${join(root, 'deploy/dev/restored.ts')}`)
    execFileSync('sh', ['-e', '-c', script], { cwd: folder, env: { PATH: path, ...env }, stdio: 'pipe' })
  }

  /** `npm start` with these settings. */
  async function start(settings: Record<string, string>): Promise<StartedProduct> {
    const product = await startProduct(settings)
    running.push(product)
    return product
  }

  const databaseOf = (url: string) => ({ DATABASE_URL: url, DATA_DIR: join(folder, 'none') })
  const eventsOf = async ({ get }: StartedProduct) =>
    ((await get(`/api/v1/events?object_id=${shop.order}`, shop.key)).body as { data: Event[] }).data.toReversed()
})

/** The folder of pg_dump, psql and pg_restore of the server's version or a newer one, or null. */
function findClient(): string | null {
  const folders = [...childEnv.PATH.split(delimiter), ...globSync('/usr/lib/postgresql/*/bin')]
  const versionIn = (folder: string) => {
    const { stdout } = spawnSync(join(folder, 'pg_dump'), ['--version'], { encoding: 'utf8' })
    return Number(/(\d+)\./.exec(stdout ?? '')?.[1] ?? 0)
  }
  return folders.find((folder) => versionIn(folder) >= SERVER_VERSION) ?? null
}

/** The one value that a query answers with. */
async function valueOn(url: string, query: string): Promise<string> {
  const client = await openClient(url)
  const { rows } = await client.query<Record<string, string>>(query)
  await client.close()
  return Object.values(rows[0] ?? {})[0] ?? ''
}

/** The superuser's URL of a running embedded server. */
function urlOfEmbedded(dataDir: string): string {
  const password = readFileSync(join(dataDir, 'postgres/password'), 'utf8').trim()
  const port = readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[3]
  return `postgres://storefront:${password}@127.0.0.1:${port}/storefront`
}

/** A shop with one object of each kind, and with deliveries that have arrived. */
async function fillShop(product: StartedProduct, url: string): Promise<Shop> {
  const { admin, makeShop, makeKey, makeProduct, makeOrder } = product
  const { id } = await makeShop({ handle: 'backup' })
  const { secret: key } = await makeKey(id, 'write')
  const path = `/shops/${id}/webhook-endpoints`
  const { data: endpoint } = (await admin('POST', path, { url, events: ['*'] })) as { data: Shop['endpoint'] }
  await product.post('/api/v1/contacts', key, { email: 'ada@example.com' }, 'once')
  const mug = await makeProduct(id, {
    title: 'Blue mug',
    kind: 'physical',
    price: { cents: 1250 },
    trackInventory: true,
    stock: 5,
  })
  const customer = { name: 'Maya Lindqvist', email: 'maya@example.com' }
  const items = [{ productId: mug.id, quantity: 2 }]
  const { id: order } = await makeOrder(id, { paymentMethod: 'card', items, customer })
  await makeOrder(id, { paymentMethod: 'card', items, customer })
  for (const move of ['mark-paid', 'confirm']) await admin('POST', `/shops/${id}/orders/${order}/${move}`, {})
  const deliveries = `/shops/${id}/webhook-endpoints/${endpoint.id}/deliveries`
  await until(async () => {
    const { data: rows } = (await admin('GET', deliveries)) as { data: { status: string }[] }
    return rows.length >= 4 && rows.every(({ status }) => status === 'delivered')
  })
  const page = (await product.get('/api/v1/orders?limit=1', key)).body as { next_cursor: string }
  return { id, key, order, endpoint, cursor: page.next_cursor }
}

/** What the REST API and the back office answer about the shop, also behind a cursor from before the backup. */
async function answersOf(product: StartedProduct, { id, key, order, endpoint, cursor }: Shop) {
  const answers: Record<string, unknown> = {}
  const orders = ['orders', `orders/${order}`, `orders?limit=1&cursor=${cursor}`]
  for (const target of [...orders, 'products', 'contacts', 'events', 'shop']) {
    const { status, body } = await product.get(`/api/v1/${target}`, key)
    answers[target] = [status, (body as { data: unknown }).data]
  }
  for (const target of [`orders/${order}/history`, 'events', `webhook-endpoints/${endpoint.id}/deliveries`]) {
    answers[`back office: ${target}`] = (await product.admin('GET', `/shops/${id}/${target}`)).data
  }
  return answers
}
