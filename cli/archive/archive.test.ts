// An archive of a shop that went through everything: what is in it, that it comes back the same elsewhere, and that damage is found.
// docs/spec/archives.md
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { zstdCompressSync } from 'node:zlib'
import { MANIFEST, type PartName, partNames, SECRETS } from '#contracts/archive/parts'
import { orderRoutes } from '#contracts/back-office/orders'
import { subscriptionRoutes } from '#contracts/back-office/subscriptions'
import { duringTests } from '#testing/during-tests'
import { runCommand } from '#testing/product/command-line'
import { type FullShop, makeFullShop } from '#testing/product/every-move'
import { exchange } from '#testing/product/http'
import { openStack, type Stack } from '#testing/product/stack'
import { type MailReceiver, openMailReceiver } from '#testing/servers/mail-receiver'
import { until } from '#testing/until'
import { type BackOffice, openBackOffice } from '../office/back-office.ts'
import type { Manifest } from './manifest.ts'
import { readArchive } from './read-archive.ts'
import { restoreArchive } from './restore.ts'
import { packed, type TarFile } from './tar.ts'
import { verifyArchive } from './verify.ts'
import { writeArchive } from './write-archive.ts'

const token = 'an-operator-token-for-tests-only'
const passphrase = 'five words that nobody guesses'
let mails: MailReceiver
const here = duringTests(async () => {
  mails = await openMailReceiver()
  return openStack({ form: 'one-process', env: { SMTP_URL: mails.smtpUrl } })
})
const elsewhere = duringTests(() => openStack({ form: 'one-process' }))
let folder: string
let shop: FullShop
let archive: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'storefront-archive-'))
  process.env.ARCHIVE_PASSPHRASE = passphrase
  shop = await makeFullShop(here, mails)
  archive = await archiveOf(here, shop.handle)
}, 60_000)
afterAll(async () => {
  delete process.env.ARCHIVE_PASSPHRASE
  rmSync(folder, { recursive: true })
  await mails.close()
})

const officeOf = ({ adminPorts }: Stack): BackOffice => openBackOffice(`http://127.0.0.1:${adminPorts[0]}`, token)
const newFile = () => join(folder, `${randomUUID()}.tar.zst`)

async function archiveOf(stack: Stack, handle: string, secrets: string | null = passphrase): Promise<string> {
  const out = newFile()
  await writeArchive(officeOf(stack), { shopPath: `/shops/${handle}`, out, passphrase: secrets })
  return out
}

async function filesOf(file: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  for await (const { name, content } of readArchive(file)) files.set(name, content)
  return files
}

/** The text of each part, without the secrets, whose encryption is another one each time. */
async function partsIn(file: string): Promise<Record<string, string>> {
  const files = await filesOf(file)
  const parts: Record<string, string> = {}
  for (const part of partNames.filter((name) => name !== SECRETS)) {
    parts[part] = [...files]
      .filter(([name]) => name.startsWith(`${part}/`))
      .map(([, content]) => content)
      .join('')
  }
  return parts
}

type Row = Record<string, unknown>
const rowsIn = (text = '') =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row)

async function restored(stack: Stack, file: string, handle: string, how: { newIds?: boolean; events?: boolean } = {}) {
  const wish = { file, handle, newIds: false, events: false, ...how }
  return restoreArchive(officeOf(stack), await verifyArchive(file), wish, () => undefined, [])
}

describe('an archive', () => {
  test('has rows of every part, and every list of a row at least once', async () => {
    const parts = await partsIn(archive)
    const empty = Object.entries(parts).filter(([, text]) => text === '')
    expect(empty).toEqual([])
    for (const [part, lists] of [
      ['orders', ['lines', 'history', 'disputes', 'references']],
      ['contacts', ['consents', 'opt_in_requests', 'references']],
      ['subscriptions', ['history', 'timers']],
      ['products', ['variants', 'references']],
    ] as const) {
      for (const list of lists) {
        const found = rowsIn(parts[part]).filter((row) => (row[list] as Row[]).length > 0)
        expect([part, list, found.length > 0]).toEqual([part, list, true])
      }
    }
  })

  test('holds every move of orders and memberships that a call can make', async () => {
    const parts = await partsIn(archive)
    const movesIn = (part: PartName) =>
      new Set(rowsIn(parts[part]).flatMap(({ history }) => (history as Row[]).map(({ move }) => move)))
    const routes = [...orderRoutes, ...subscriptionRoutes].filter(({ method, path }) => {
      return method !== 'GET' && path.includes('{id}')
    })
    for (const part of ['orders', 'subscriptions'] as const) {
      const names = routes.flatMap(({ action }) => (action.startsWith(part) ? [action.slice(part.length + 1)] : []))
      expect(names.length).toBeGreaterThan(4)
      expect([part, names.filter((name) => !movesIn(part).has(name))]).toEqual([part, []])
    }
  })

  test('of the same shop has the same bytes in each part', async () => {
    expect(await partsIn(await archiveOf(here, shop.handle))).toEqual(await partsIn(archive))
  })

  test('names its rows and digests in the manifest, which is its last file', async () => {
    const files = await filesOf(archive)
    expect([...files.keys()].at(-1)).toBe(MANIFEST)
    const manifest = JSON.parse(String(files.get(MANIFEST))) as Manifest
    expect(manifest).toMatchObject({ object: 'archive', version: 1, shop: { id: shop.id, handle: shop.handle } })
    const { data } = await here.admin('GET', `/shops/${shop.handle}/orders?limit=100`)
    expect(manifest.parts.orders?.rows).toBe((data as Row[]).length)
  })

  test('holds no secret in the clear, and without --secrets none at all', async () => {
    const files = await filesOf(archive)
    expect(String(files.get(`${SECRETS}.age`))).toMatch(/^age-encryption\.org\/v1\n-> scrypt /)
    const plain = await filesOf(await archiveOf(here, shop.handle, null))
    expect([...plain.keys()].filter((name) => name.startsWith(SECRETS))).toEqual([])
    for (const content of [...files.values(), ...plain.values()]) expect(content.includes('whsec_')).toBe(false)
  })

  test('can be unpacked by tar and zstd of any system', async () => {
    const files = await filesOf(archive)
    const chunks = await buffer(Readable.from(packed(Readable.from(filesFrom(files)), new Date())))
    expect(chunks.length % 512).toBe(0)
    expect(chunks.subarray(257, 263).toString()).toBe('ustar\0')
  })

  test('and each restore that begins or ends leave an entry in the audit, and are refused to others than owners', async () => {
    const { data } = (await here.admin('GET', `/shops/${shop.handle}/audit?action=archives.open&limit=100`)) as {
      data: Row[]
    }
    expect(new Set(data.map(({ changes }) => JSON.stringify(changes)))).toEqual(
      new Set(partNames.map((part) => JSON.stringify({ part: [null, part] }))),
    )
    const { data: manager } = (await here.admin('POST', '/operators', {
      name: 'Max',
      email: `${randomUUID()}@example.com`,
      role: 'manager',
      shops: [shop.id],
    })) as { data: Row }
    const made = (await here.admin('POST', `/operators/${String(manager.id)}/tokens`, { name: 'laptop' })) as {
      data: Row
    }
    const headers = { authorization: `Bearer ${String(made.data.secret)}`, 'content-type': 'application/json' }
    for (const [method, path] of [
      ['GET', `/shops/${shop.handle}/archive/orders`],
      ['POST', '/restores'],
      ['GET', `/restores/${randomUUID()}`],
      ['POST', `/restores/${randomUUID()}/parts/orders`],
      ['POST', `/restores/${randomUUID()}/finish`],
    ] as const) {
      const answer = await exchange(here.adminPorts[0] ?? 0, `/admin/v1${path}`, {
        method,
        headers,
        body: method === 'GET' ? undefined : '{}',
      })
      expect([method, path, answer.status]).toEqual([method, path, 403])
    }
  })
})

function filesFrom(files: Map<string, Buffer>): TarFile[] {
  return [...files].map(([name, content]) => ({ name, content }))
}

/** The archive with other files: written as an archive is, so only its contents are wrong. */
async function changed(change: (files: Map<string, Buffer>) => void): Promise<string> {
  const files = await filesOf(archive)
  change(files)
  const tar = await buffer(Readable.from(packed(Readable.from(filesFrom(files)), new Date())))
  const file = newFile()
  writeFileSync(file, zstdCompressSync(tar))
  return file
}

function withManifest(change: (manifest: Manifest) => void) {
  return (files: Map<string, Buffer>) => {
    const manifest = JSON.parse(String(files.get(MANIFEST))) as Manifest
    change(manifest)
    files.set(MANIFEST, Buffer.from(JSON.stringify(manifest)))
  }
}

const ordersFile = 'orders/000001.ndjson'

describe('verify', () => {
  test('accepts a whole archive, and names references that the shop itself no longer has', async () => {
    const { manifest, dangling } = await verifyArchive(archive)
    expect(manifest.shop.id).toBe(shop.id)
    expect(dangling).toEqual({ contacts: 0, products: 0, variants: 0 })
  })

  // A flipped byte of the compression may leave the content as it was, such as one that points to another copy of the same text.
  test('finds every flipped byte that changes the content, and every place where an archive may end early', async () => {
    const bytes = readFileSync(archive)
    const whole = await filesOf(archive)
    const damage = Array.from({ length: 40 }, (_, index) => Math.floor(((index + 0.5) * bytes.length) / 40))
    let found = 0
    for (const at of damage) {
      const file = newFile()
      const other = Buffer.from(bytes)
      other.writeUInt8(other.readUInt8(at) ^ 0x10, at)
      writeFileSync(file, other)
      const problem = await verifyArchive(file).then(() => null, String)
      if (problem === null) expect(await filesOf(file)).toEqual(whole)
      else expect(problem).toMatch(/damaged|not complete|no archive/)
      found += problem === null ? 0 : 1
      writeFileSync(file, bytes.subarray(0, at))
      await expect(verifyArchive(file)).rejects.toThrow(/damaged|not complete|no archive/)
    }
    expect(found).toBeGreaterThan(0)
  })

  const flip = (files: Map<string, Buffer>) => {
    const text = String(files.get(ordersFile))
    files.set(ordersFile, Buffer.from(text.replace('"quantity":2', '"quantity":3')))
  }
  const reordered = (files: Map<string, Buffer>) => {
    const lines = String(files.get(ordersFile)).trim().split('\n')
    files.set(ordersFile, Buffer.from(`${lines.toReversed().join('\n')}\n`))
  }
  const field = (files: Map<string, Buffer>) => {
    files.set(ordersFile, Buffer.from(String(files.get(ordersFile)).replace('"status":', '"stage":')))
  }
  test.each<[string, (files: Map<string, Buffer>) => void, RegExp]>([
    ['a changed value', flip, /orders\/000001\.ndjson is not as it was written/],
    ['rows in another order', reordered, /not in the order of id/],
    ['a field that the format does not have', field, /not in the form of orders/],
    ['a missing file', (files) => void files.delete(ordersFile), /the file orders\/000001\.ndjson is missing/],
    ['no manifest', (files) => void files.delete(MANIFEST), /not complete: it has no manifest\.json/],
    [
      'a foreign file',
      (files) => void files.set('notes.txt', Buffer.from('x')),
      /file behind manifest|does not belong/,
    ],
    [
      'another count',
      withManifest(({ parts }) => void (parts.orders && (parts.orders.rows += 1))),
      /the files of orders have \d+ rows, and manifest\.json says/,
    ],
    ['another version', withManifest((manifest) => void (manifest.version = 2)), /has version 2 of the format/],
    ['a part that the manifest lacks', withManifest(({ parts }) => void delete parts.orders), /does not name the part/],
    ['a manifest that is none', (files) => void files.set(MANIFEST, Buffer.from('{}')), /manifest\.json is not valid/],
  ])('refuses %s', async (_what, change, words) => {
    await expect(verifyArchive(await changed(change))).rejects.toThrow(words)
  })
})

describe('a restore elsewhere', () => {
  test('makes the same shop: another archive of it has the same bytes in each part, and the same secrets', async () => {
    const done = await restored(elsewhere, archive, shop.handle)
    expect(done).toMatchObject({ status: 'completed', shopId: shop.id, handle: shop.handle, newIds: false })
    const again = await archiveOf(elsewhere, shop.handle)
    expect(await partsIn(again)).toEqual(await partsIn(archive))
    const secretsOf = async (stack: Stack) =>
      (
        await exchange(stack.adminPorts[0] ?? 0, `/admin/v1/shops/${shop.handle}/archive/${SECRETS}`, {
          headers: { authorization: `Bearer ${token}` },
        })
      ).text
    expect(await secretsOf(elsewhere)).toBe(await secretsOf(here))
  })

  test.each(['orders', 'contacts', 'products', 'subscriptions', 'events', 'webhook-endpoints'])(
    'the list of %s and each of its objects is the same',
    async (list) => {
      const at = async (stack: Stack, path: string) =>
        (
          await exchange(stack.adminPorts[0] ?? 0, `/admin/v1/shops/${shop.handle}${path}`, {
            headers: { authorization: `Bearer ${token}` },
          })
        ).text
      const page = await at(here, `/${list}?limit=100`)
      const sent = (text: string) => text.replaceAll(/"waiting":\d+|"next_cursor":"[^"]*"/g, '') // Of this installation.
      expect(sent(await at(elsewhere, `/${list}?limit=100`))).toBe(sent(page))
      for (const { id } of (JSON.parse(page) as { data: { id: string; data?: unknown }[] }).data.slice(0, 20)) {
        expect(sent(await at(elsewhere, `/${list}/${id}`))).toBe(sent(await at(here, `/${list}/${id}`)))
      }
    },
  )

  test('sends nothing: no message and no delivery waits', async () => {
    const { data } = await elsewhere.admin('GET', `/shops/${shop.handle}/deliveries`)
    expect(data).toEqual([])
  })

  test('is usable: a poll finds the newest change, a command works, and its event has the next number and a new epoch', async () => {
    const path = `/shops/${shop.handle}`
    const { secret: key } = await elsewhere.makeKey(shop.id, 'write')
    const { data: newest } = (await elsewhere.admin('GET', `${path}/events?limit=1`)) as { data: Row[] }
    const { data: list } = (await elsewhere.admin('GET', `${path}/orders?status=new&limit=100`)) as { data: Row[] }
    const [order] = list.filter(({ paymentStatus }) => paymentStatus === 'paid')
    const { data: before } = (await elsewhere.admin(
      'GET',
      `${path}/events?object_id=${String(order?.id)}&limit=100`,
    )) as {
      data: { sequence: number }[]
    }
    const moved = (await elsewhere.admin('POST', `${path}/orders/${String(order?.id)}/confirm`, {})) as { data: Row }
    const since = encodeURIComponent(String(moved.data.updatedAt))
    const polled = await elsewhere.get(`/api/v1/orders?updated_after=${since}`, { key })
    expect(polled.body).toMatchObject({ data: [{ id: order?.id, status: 'confirmed' }] })
    const event = await until(async () => {
      const { data } = (await elsewhere.admin('GET', `${path}/events?limit=1`)) as { data: Row[] }
      return data[0]?.id === newest[0]?.id ? null : data[0]
    })
    expect(event).toMatchObject({
      type: 'order.confirmed',
      sequence: Math.max(...before.map((one) => one.sequence)) + 1,
    })
    const { body } = await elsewhere.get(`/api/v1/events?object_id=${String(order?.id)}&limit=2`, { key })
    const [after, archived] = (body as { data: { epoch: number }[] }).data
    expect(archived?.epoch).toBe(0)
    expect(after?.epoch).toBeGreaterThan(0)
    await elsewhere.makeOrder(shop.id, {
      paymentMethod: 'card',
      items: [{ title: 'Mug', kind: 'physical', unitPrice: { cents: 100 }, quantity: 1 }],
    })
  })

  test('is refused where the shop or its handle is there, and a repeated one of the same archive is the same restore', async () => {
    await expect(restored(elsewhere, archive, 'another')).rejects.toThrow(/is here, under the handle/)
    await expect(restored(elsewhere, archive, shop.handle, { newIds: true })).rejects.toThrow(/The handle \S+ is taken/)
    expect(await restored(elsewhere, archive, shop.handle)).toMatchObject({ status: 'completed', shopId: shop.id })
  })

  test('needs the passphrase of the secrets, and says that another one does not open them', async () => {
    process.env.ARCHIVE_PASSPHRASE = 'another one'
    const wish = { newIds: true }
    await expect(restored(elsewhere, archive, 'locked', wish)).rejects.toThrow(/do not open with the passphrase/)
    process.env.ARCHIVE_PASSPHRASE = ''
    await expect(restored(elsewhere, archive, 'locked-too', wish)).rejects.toThrow(/needs the passphrase/)
    const { data } = await elsewhere.admin('POST', '/shops', {
      handle: 'locked',
      name: 'Free',
      currency: 'GBP',
      timeZone: 'UTC',
    })
    expect(data).toMatchObject({ handle: 'locked' }) // Nothing was begun.
    process.env.ARCHIVE_PASSPHRASE = passphrase
    expect(await restored(elsewhere, archive, 'locked-too', wish)).toMatchObject({ status: 'completed' })
  })

  test('keeps its handle for itself until it is finished, and no call reaches its shop', async () => {
    const office = officeOf(elsewhere)
    const cut: Pick<BackOffice, 'call'> = {
      async call(method, path, body) {
        if (path.endsWith('/finish')) throw new Error('killed')
        return office.call(method, path, body)
      },
    }
    const wish = { file: archive, handle: 'kept', newIds: true, events: false }
    const verified = await verifyArchive(archive)
    await expect(restoreArchive(cut, verified, wish, () => undefined, [])).rejects.toThrow('killed')
    await expect(office.call('GET', '/shops/kept')).rejects.toThrow('No such shop')
    const other = { handle: 'kept', name: 'Other', currency: 'GBP', timeZone: 'UTC' }
    await expect(office.call('POST', '/shops', other)).rejects.toThrow('The handle kept is taken.')
    expect(await restored(elsewhere, archive, 'kept', { newIds: true })).toMatchObject({ status: 'completed' })
    expect(await office.call('GET', '/shops/kept')).toMatchObject({ name: 'Every move' })
  })
})

describe('a restore with new ids beside the shop', () => {
  test('makes the same shop with other ids, in every part and in the bodies of its events', async () => {
    const handle = `copy-${randomUUID().slice(0, 8)}`
    const done = await restored(here, archive, handle, { newIds: true })
    expect(done.shopId).not.toBe(shop.id)
    const old = await partsIn(archive)
    const own = await partsIn(await archiveOf(here, handle))
    const oldIds = new Set(Object.values(old).flatMap((text) => rowsIn(text).flatMap(({ id = [] }) => id)))
    for (const part of Object.keys(old) as PartName[]) {
      if (part === 'suppressed-mailboxes' || part === 'subscription-settings' || part === 'event-feed') continue
      for (const row of rowsIn(own[part])) expect(oldIds.has(row.id)).toBe(false)
      expect([part, masked(own[part], handle)]).toEqual([part, masked(old[part], handle)])
    }
    const event = rowsIn(own.events)[0]
    expect(JSON.parse(String(event?.body))).toMatchObject({
      id: event?.id,
      shopId: done.shopId,
      data: { id: event?.object_id },
    })
    const shown = (await here.admin('GET', `/shops/${handle}/orders?limit=100`)).data as Row[]
    const ids = new Set(rowsIn(own.contacts).map(({ id }) => id))
    const named = shown.map(({ customer }) => (customer as Row).clientId).filter((id) => id !== null)
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((id) => !ids.has(id as string))).toEqual([])
  })
})

test('with --events the archived events are sent to the restored endpoints whose filter matches, each once', async () => {
  const handle = `sent-${randomUUID().slice(0, 8)}`
  const done = await restored(elsewhere, archive, handle, { newIds: true, events: true })
  expect(done).toMatchObject({ status: 'completed', events: true })
  const { data: endpoints } = (await elsewhere.admin('GET', `/shops/${handle}/webhook-endpoints`)) as { data: Row[] }
  const events = rowsIn((await partsIn(archive)).events)
  const orders = events.filter(({ type }) => String(type).startsWith('order.'))
  const waiting = endpoints.map(({ url, waiting: count }) => [url, count])
  expect(Object.fromEntries(waiting)).toEqual({
    'https://example.com/hook': orders.length,
    'https://example.com/all': events.length,
    'https://example.com/rotated': events.length,
  })
})

describe('the commands', () => {
  const run = (stack: Stack, ...args: string[]) =>
    runCommand(args, { ADMIN_TOKEN: token, ADMIN_PORT: String(stack.adminPorts[0]), ARCHIVE_PASSPHRASE: '' })

  test('write an archive, check it, say what a restore would do, restore it, and say what comes next', async () => {
    const out = newFile()
    const written = await run(here, 'archive', '--shop', shop.handle, '--out', out, '--json')
    expect(written).toMatchObject({ status: 0, err: expect.stringContaining('The archive is complete') })
    const counts = JSON.parse(written.out) as Row
    expect(counts).toMatchObject({ object: 'archive', handle: shop.handle, shop: 1 })
    expect(await run(here, 'archive', 'verify', out)).toMatchObject({ status: 0, err: 'The archive is whole.\n' })
    const handle = `command-${randomUUID().slice(0, 8)}`
    const preview = await run(here, 'restore', out, '--shop', handle, '--dry-run', '--json')
    expect(preview).toMatchObject({ status: 0, err: expect.stringContaining('nothing was written') })
    expect(JSON.parse(preview.out)).toMatchObject({ object: 'restore_preview', handle, newIds: true, freeBytes: null })
    await expect(here.admin('GET', `/shops/${handle}`)).rejects.toThrow('404')
    const done = await run(here, 'restore', out, '--shop', handle, '--json')
    expect(done).toMatchObject({ status: 0, err: expect.stringContaining(`keys create --shop ${handle}`) })
    const parts = { orders: { rows: counts.orders } }
    expect(JSON.parse(done.out)).toMatchObject({ status: 'completed', newIds: true, parts })
    const again = await run(here, 'restore', out, '--shop', handle, '--json')
    expect(JSON.parse(again.out)).toEqual(JSON.parse(done.out))
  })

  test('end with 2 without a passphrase, and with 1 for a file that is no archive, a shop that is none, or a handle that is taken', async () => {
    const out = newFile()
    const secrets = await run(here, 'archive', '--shop', shop.handle, '--out', out, '--secrets')
    expect(secrets).toMatchObject({ status: 2, err: expect.stringContaining('ARCHIVE_PASSPHRASE') })
    const nobody = await run(here, 'archive', '--shop', 'nobody', '--out', out)
    expect(nobody).toMatchObject({ status: 1, err: expect.stringContaining('No such shop') })
    expect(readdirSync(folder).filter((name) => name.startsWith(basename(out)))).toEqual([])
    const readme = await run(here, 'archive', 'verify', join(import.meta.dirname, '../package/README.md'))
    expect(readme).toMatchObject({ status: 1, err: expect.stringContaining('is no archive') })
    expect(await run(here, 'archive', 'verify', out)).toMatchObject({
      status: 1,
      err: expect.stringContaining('there is no such file'),
    })
    await run(here, 'archive', '--shop', shop.handle, '--out', out)
    const taken = await run(here, 'restore', out, '--shop', shop.handle, '--new-ids')
    expect(taken).toMatchObject({ status: 1, err: expect.stringContaining('is taken') })
  })
})

// Every id as the same word; rows and lists, which are in the order of ids, sorted.
function masked(text: string | undefined, handle: string): string[] {
  const ids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
  return (text ?? '')
    .replaceAll(ids, 'ID')
    .replaceAll(/"token_digest":"[^"]*"/g, '')
    .replaceAll(handle, shop.handle)
    .split('\n')
    .toSorted()
}
