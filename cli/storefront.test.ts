// The command line as a person or a script uses it: a real process against a running product, output not on a terminal.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStack, type Stack } from '#testing/product/stack'

type Ended = { status: number | null; out: string; err: string }

const keptToken = 'a-token-as-the-first-start-makes-one-4711'
let stack: Stack
let folder: string
beforeAll(async () => {
  stack = await openStack({ form: 'one-process', env: { ADMIN_TOKEN: keptToken } })
  folder = mkdtempSync(join(tmpdir(), 'storefront-cli-test-'))
  mkdirSync(join(folder, 'secrets'))
  writeFileSync(join(folder, 'secrets', 'ADMIN_TOKEN'), `${keptToken}\n`)
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await stack.stop()
})

/** Runs the program with the token of the data folder. */
function run(args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const program = join(import.meta.dirname, 'storefront.ts')
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH, ADMIN_PORT: String(stack.adminPorts[0]), DATA_DIR: folder, ...env },
  })
  const ended: Ended = { status: null, out: '', err: '' }
  child.stdout.on('data', (chunk: Buffer) => {
    ended.out += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    ended.err += chunk.toString()
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status) => resolve({ ...ended, status }))
  })
}

const handle = 'till'
const create = ['shops', 'create', '--handle', handle, '--name', 'The Till', '--currency', 'GBP']

describe('storefront', () => {
  test('help is printed on request and without a command', async () => {
    for (const args of [[], ['help'], ['--help'], ['import', '-h']]) {
      const { status, out, err } = await run(args)
      expect([status, err]).toEqual([0, ''])
      expect(out).toMatch(/^npm run storefront -- <command>\n/)
    }
  })

  test('shops are created, shown and listed', async () => {
    const made = await run([...create, '--time-zone', 'Europe/London', '--country', 'GB', '--plan', 'basic'])
    expect(made.status).toBe(0)
    expect(made.out).toMatch(/\nhandle\ttill\nname\tThe Till\ncurrency\tGBP\ntime zone\tEurope\/London\ncountry\tGB\n/)
    expect((await run(['shops', 'show', handle])).out).toBe(made.out)
    const listed = await run(['shops'])
    expect(listed.out).toMatch(
      /^HANDLE\tNAME\tCURRENCY\tTIME ZONE\tPLAN\tID\ntill\tThe Till\tGBP\tEurope\/London\tbasic\t/,
    )
    const again = await run([...create, '--time-zone', 'Europe/London'])
    expect(again).toEqual({ status: 1, out: '', err: 'storefront: The handle till is taken. (conflict)\n' })
  })

  test('keys are created, listed and revoked; the secret is shown once', async () => {
    const made = await run(['keys', 'create', '--shop', handle, '--name', 'till 1', '--access', 'write'])
    expect(made.status).toBe(0)
    const [, id, secret] = /^id\t(\S+)\nname\ttill 1\naccess\twrite\nsecret\t(\S+)\n$/.exec(made.out) ?? []
    expect(secret?.length).toBeGreaterThan(40)
    expect(made.err).toBe('The secret is not shown again.\n')
    const listed = await run(['keys', 'list', '--shop', handle])
    expect(listed.out).toContain(`${id}\ttill 1\twrite\t`)
    expect(listed.out).not.toContain(secret)
    expect(await run(['keys', 'revoke', id ?? '', '--shop', handle])).toEqual({ status: 0, out: 'Revoked.\n', err: '' })
  })

  test('a file is imported; the report and the exit status tell the outcome', async () => {
    const day = join(import.meta.dirname, '../deploy/demo/online-retail/2010-12-05.csv')
    const first = await run(['import', day, '--shop', handle])
    expect([first.status, first.err]).toEqual([0, ''])
    expect(first.out).toMatch(/^status\tcompleted\nformat\tretail\ndry run\tfalse\nrecords\t2725\ncreated\t/)
    const second = await run(['import', day, '--shop', handle, '--format', 'retail'])
    expect(second.out).toMatch(/\ncreated\t0\nupdated\t0\nunchanged\t\d+\n/)
    const orders = await run(['orders', 'list', '--shop', handle, '--limit', '3'])
    expect(orders.out.trim().split('\n')).toHaveLength(4)
    expect(orders.out).toMatch(/^CREATED\tSTATUS\tPAYMENT\tTOTAL\tUNITS\tCUSTOMER\tID\n2010-12-05T/)
  })

  test('orders of a Shopify export become orders and contacts; --default-payment-method is used where the file names none', async () => {
    const file = join(folder, 'orders.csv')
    const head = 'Name,Email,Created at,Total,Lineitem name,Lineitem quantity,Lineitem price'
    writeFileSync(file, `${head}\n#1,=ada@example.com,2026-03-01 10:00:00 +0000,2.00,-Mug,2,1.00\n`)
    const shop = 'counter'
    const named = ['--handle', shop, '--name', 'Counter', '--currency', 'GBP', '--time-zone', 'UTC']
    expect((await run(['shops', 'create', ...named])).status).toBe(0)
    const options = ['--create-contacts', '--default-payment-method', 'cod']
    const tried = await run(['import', file, '--shop', shop, '--dry-run', ...options])
    expect(tried.out).toMatch(/^status\tcompleted\nformat\tshopify-orders\ndry run\ttrue\nrecords\t1\ncreated\t2\n/)
    expect((await run(['export', 'orders', '--shop', shop])).out).toBe('')
    const done = await run(['import', file, '--shop', shop, ...options])
    expect([done.status, done.out.replace('true', 'false').split('\nimport')[0]]).toEqual([
      0,
      tried.out.replace('true', 'false').split('\nimport')[0],
    ])
    const lines = await run(['export', 'orders', '--shop', shop, '--format', 'ndjson'])
    expect(lines.err).toBe('1 orders exported.\n')
    expect(JSON.parse(lines.out)).toMatchObject({ paymentMethod: 'cod', customer: { email: '=ada@example.com' } })
    const table = join(folder, 'exported.csv')
    const written = await run(['export', 'orders', '--shop', shop, '--format', 'csv', '--out', table])
    expect([written.status, written.out]).toEqual([0, ''])
    expect(readFileSync(table, 'utf8')).toMatch(/,'=ada@example\.com,.*,2,'-Mug,1\.00,/)
    const contacts = await run(['export', 'contacts', '--shop', shop, '--format', 'csv'])
    expect(contacts.out).toMatch(/^Customer ID,First Name,[^\r]*\r\n[0-9a-f-]{36},,?[^\r]*'=ada@example\.com,no,/)
  })

  test('an export of 250 products with variants is imported into another shop', async () => {
    const file = join(folder, 'many.csv')
    const rows = Array.from({ length: 250 }, (_, n) => `p-${n},P ${n},1.00,Size,S\np-${n},,2.00,,L\n`)
    writeFileSync(file, `Handle,Title,Variant Price,Option1 Name,Option1 Value\n${rows.join('')}`)
    for (const shop of ['from', 'to']) {
      await run(['shops', 'create', '--handle', shop, '--name', shop, '--currency', 'GBP', '--time-zone', 'UTC'])
    }
    expect((await run(['import', file, '--shop', 'from'])).status).toBe(0)
    const table = join(folder, 'products.csv')
    const written = await run(['export', 'products', '--shop', 'from', '--format', 'csv', '--out', table])
    expect(written.err).toBe('250 products exported.\n')
    const moved = await run(['import', table, '--shop', 'to'])
    expect([moved.status, moved.out]).toEqual([0, expect.stringMatching(/\nrecords\t500\ncreated\t250\n/)])
    const nowhere = await run(['export', 'products', '--shop', 'to', '--out', join(folder, 'no', 'such', 'folder')])
    expect([nowhere.status, nowhere.err]).toEqual([1, expect.stringMatching(/^storefront: ENOENT/)])
  })

  test('a bad row makes the exit status 1 and is named with its line', async () => {
    const file = join(folder, 'bad.csv')
    writeFileSync(file, 'Handle,Title,Variant Price\nbad,Bad,one pound\n')
    const { status, out, err } = await run(['import', file, '--shop', handle, '--dry-run'])
    expect([status, err]).toEqual([1, 'This was a dry run: nothing was written.\n'])
    const real = await run(['import', file, '--shop', handle])
    expect([real.status, real.err]).toEqual([1, expect.stringMatching(/^Correct the rows that failed .* again/)])
    expect(out).toContain('\nLINE\tSEVERITY\tCOLUMN\tCODE\tMESSAGE\n2\terror\tVariant Price\tmoney\t')
  })

  test('what is refused ends with 1 and its words', async () => {
    const missing = await run(['import', join(folder, 'nothing.csv'), '--shop', handle])
    expect([missing.status, missing.err]).toEqual([1, `storefront: The file ${folder}/nothing.csv cannot be read.\n`])
    const directory = await run(['import', folder, '--shop', handle])
    expect([directory.status, directory.err]).toEqual([
      1,
      `storefront: ${folder} is a folder; import takes one file.\n`,
    ])
    const unknown = await run(['orders', '--shop', 'nobody'])
    expect([unknown.status, unknown.err]).toEqual([1, 'storefront: No such shop. (not_found)\n'])
    const token = await run(['shops'], { ADMIN_TOKEN: `${keptToken}x` })
    expect([token.status, token.err]).toEqual([1, expect.stringMatching(/\(unauthorized\)\n$/)])
    const nobody = await run(['shops', '--url', 'http://127.0.0.1:9'])
    expect([nobody.status, nobody.err]).toEqual([
      1,
      expect.stringMatching(/^storefront: The back office at http:\/\/127\.0\.0\.1:9 cannot be reached/),
    ])
    const noToken = await run(['shops'], { DATA_DIR: join(folder, 'empty') })
    expect([noToken.status, noToken.err]).toEqual([1, expect.stringMatching(/^storefront: There is no token/)])
  })

  test('the token is not sent to an address that is no back office, such as the public port', async () => {
    const seen: (string | undefined)[] = []
    const stranger = createServer((request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('{}')
    })
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
    const { port } = stranger.address() as AddressInfo
    for (const address of [port, stack.ports[0]]) {
      const { status, err } = await run(['shops', '--url', `http://127.0.0.1:${address}`])
      expect([status, err]).toEqual([
        1,
        `storefront: There is no back office at http://127.0.0.1:${address}. The token was not sent. The back office listens on ADMIN_PORT, which is 3100 where nothing is set.\n`,
      ])
    }
    expect(seen).toEqual([undefined])
    stranger.close()
  })

  test.each<[string[], RegExp]>([
    [['sell'], /There is no command sell/],
    [['shops', 'paint'], /shops knows list, create and show, not paint/],
    [['shops', 'create'], /needs --handle/],
    [['keys'], /needs --shop/],
    [['import', '--shop', 'till'], /the path of one file/],
    [['export', 'shops', '--shop', 'till'], /export needs one of products, orders, contacts/],
    [['export', 'orders', '--shop', 'till', '--format', 'xml'], /--format must be one of ndjson, csv/],
    [['orders', '--shop', 'till', '--limit', '0'], /--limit must be/],
    [['shops', '--colour'], /--colour/],
  ])('%j is a usage error: exit status 2 and a hint at the help', async (args, words) => {
    const { status, err } = await run(args)
    expect(status).toBe(2)
    expect(err).toMatch(words)
    expect(err).toMatch(/See: npm run storefront -- help\n$/)
  })
})
