// The command line as a person or a script uses it, against a running product, output not on a terminal.
// docs/spec/command-line.md
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram } from '#local-servers/find-program'
import { childEnv } from '#testing/child-env'
import { type Ended, runCommand, startCommand } from '#testing/product/command-line'
import { openStack, type Stack } from '#testing/product/stack'
import { describeWhere } from '#testing/where-possible'

const keptToken = 'a-token-as-the-first-start-makes-one-4711'
let stack: Stack
let folder: string
beforeAll(async () => {
  stack = await openStack({ form: 'one-process', env: { ADMIN_TOKEN: keptToken, AUTH_FAILURES_PER_MINUTE: '1000' } })
  folder = mkdtempSync(join(tmpdir(), 'storefront-cli-test-'))
  mkdirSync(join(folder, 'secrets'))
  writeFileSync(join(folder, 'secrets', 'ADMIN_TOKEN'), `${keptToken}\n`)
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await stack.stop()
})

const envOf = (env: Record<string, string>) => ({
  ADMIN_PORT: String(stack.adminPorts[0]),
  DATA_DIR: folder,
  HOME: folder,
  ...env,
})

/** Runs a command with the token of the data folder, in a process of its own. */
function start(args: string[], env: Record<string, string> = {}, input?: string): Promise<Ended> {
  return startCommand(args, envOf(env), input).ended
}

/** The same in a process that stays: starting a process for each of these commands takes longer than the commands. */
function run(args: string[], env: Record<string, string> = {}, input?: string): Promise<Ended> {
  return runCommand(args, envOf(env), input)
}
const runLine = (line: string) => run(line.split(' '))

const handle = 'till'
const create = ['shops', 'create', '--handle', handle, '--name', 'The Till', '--currency', 'GBP']

describe('storefront', () => {
  test('help is printed on request and without a command, for a group and for one command with examples that begin as its own line', async () => {
    for (const line of ['', 'help', '--help', 'orders -h']) {
      const { status, out, err } = await start(line.split(' ').filter(Boolean))
      expect([status, err]).toEqual([0, ''])
      expect(out).toMatch(/^Usage: npm run storefront --/)
    }
    expect((await runLine('orders ship --help')).out).toMatch(
      /Examples:\n {2}npm run storefront -- orders ship latest .*--shop demo\n$/,
    )
    expect((await runLine('orders --help')).out).toMatch(
      /Examples:\n {2}npm run storefront -- orders list --status new .*--shop demo\n {2}npm run storefront -- orders show latest --shop demo\n {2}npm run storefront -- orders place .*\n$/,
    )
  })

  test('shops are created, shown and listed', async () => {
    const made = await run([...create, '--time-zone', 'Europe/London', '--country', 'GB', '--plan', 'basic'])
    expect(made.status).toBe(0)
    expect(made.out).toMatch(/\nhandle\ttill\nname\tThe Till\ncurrency\tGBP\ntime zone\tEurope\/London\ncountry\tGB\n/)
    expect(await start(['shops', 'show', handle])).toEqual({ status: 0, out: made.out, err: '' })
    const listed = await run(['shops'])
    expect(listed.out).toMatch(
      /^HANDLE\tNAME\tCURRENCY\tTIME ZONE\tPLAN\tMODE\tID\ntill\tThe Till\tGBP\tEurope\/London\tbasic\tlive\t/,
    )
    const [line = ''] = (await runLine('shops list --json')).out.split('\n')
    expect(JSON.parse(line)).toMatchObject({ object: 'shop', handle })
    const again = await start([...create, '--time-zone', 'Europe/London'])
    expect(again).toEqual({ status: 1, out: '', err: 'storefront: The handle till is taken. (conflict)\n' })
  })

  test('keys are created, listed and revoked; the secret is shown once', async () => {
    const made = await run(['keys', 'create', '--shop', handle, '--name', 'till 1', '--access', 'write'])
    expect([made.status, made.err]).toEqual([0, 'The secret is not shown again.\n'])
    const [, id, secret] = /^id\t(\S+)\nname\ttill 1\naccess\twrite\n[^]*secret\t(\S+)\n$/.exec(made.out) ?? []
    expect(secret?.length).toBeGreaterThan(40)
    const listed = await run(['keys', '--shop', handle])
    expect(listed.out).toContain(`${id}\ttill 1\twrite\t`)
    expect(listed.out).not.toContain(secret)
    expect((await run(['keys', 'revoke', id ?? '', '--shop', handle])).status).toBe(0)
    expect((await runLine(`keys --shop ${handle} --json`)).out).toMatch(/"revokedAt":"\d{4}-/)
  })

  test('a body comes from options, a file or stdin; options win', async () => {
    const mug = JSON.stringify({ title: 'Mug', price: { cents: 700 }, tags: ['a'] })
    const file = join(folder, 'mug.json')
    writeFileSync(file, mug)
    const at = ['products', 'create', '--shop', handle, '--price-cents', '900', '--json']
    for (const [body, input] of [[file, ''] as const, ['-', mug] as const, [mug, ''] as const]) {
      const { out } = await start([...at, '--body', body], {}, input)
      expect(JSON.parse(out)).toMatchObject({ title: 'Mug', price: { cents: 900 }, tags: ['a'] })
    }
    const change = ['products', 'change', 'latest', '--shop', handle, '--tags', 'x,y', '--track-inventory', '--json']
    expect(JSON.parse((await run([...change, '--stock', '3'])).out)).toMatchObject({ tags: ['x', 'y'], stock: 3 })
    const untracked = ['products', 'change', 'latest', '--shop', handle, '--no-track-inventory', '--json']
    expect(JSON.parse((await run(untracked)).out)).toMatchObject({ trackInventory: false, stock: null })
    const consent = [
      'contacts',
      'save',
      '--shop',
      handle,
      '--phone',
      '+441614960000',
      '--json',
      '--marketing-consent-at',
    ]
    expect(JSON.parse((await run([...consent, '1d'])).out).marketingConsentAt).toMatch(/Z$/)
    expect(JSON.parse((await run([...consent, 'null'])).out).marketingConsentAt).toBeNull()
  })

  test('a command under an Idempotency-Key is done once', async () => {
    const place = [
      'contacts',
      'save',
      '--shop',
      handle,
      '--email',
      'ada@example.com',
      '--json',
      '--idempotency-key',
      'k1',
    ]
    const [first, second] = [await run(place), await run(place)]
    expect(second).toEqual(first)
    expect((await run([...place, '--name', 'Ada'])).err).toMatch(/\(conflict\)\n$/)
  })

  test('a file is imported; the report and the exit status tell the outcome', async () => {
    const day = join(import.meta.dirname, '../deploy/demo/shopify-products.csv')
    const first = await run(['import', day, '--shop', handle])
    expect([first.status, first.err]).toEqual([0, ''])
    expect(first.out).toMatch(
      /\nformat\tshopify-products\nstatus\tcompleted\nphase\tended\ndry run\tno\nprocessed\t\d+\ncreated\t/,
    )
    const second = await run(['import', day, '--shop', handle, '--format', 'shopify-products', '--json'])
    expect(JSON.parse(second.out)).toMatchObject({ object: 'import', created: 0, updated: 0, failed: 0 })
    const products = await run(['products', 'list', '--shop', handle, '--limit', '3'])
    expect(products.out).toMatch(/^CREATED\tTITLE\tKIND\tPRICE\tSTOCK\tPUBLISHED\tID\n(.+\n){3}$/)
  })

  test('orders of a Shopify export become orders and contacts; --default-payment-method is used where the file names none', async () => {
    const file = join(folder, 'orders.csv')
    const head = 'Name,Email,Created at,Total,Lineitem name,Lineitem quantity,Lineitem price'
    writeFileSync(file, `${head}\n#1,=ada@example.com,2026-03-01 10:00:00 +0000,2.00,-Mug,2,1.00\n`)
    const shop = 'counter'
    const named = ['--handle', shop, '--name', 'Counter', '--currency', 'GBP', '--time-zone', 'UTC']
    expect((await run(['shops', 'create', ...named])).status).toBe(0)
    const options = ['--create-contacts', '--default-payment-method', 'cod', '--json']
    const tried = JSON.parse((await run(['import', file, '--shop', shop, '--dry-run', ...options])).out)
    expect(tried).toMatchObject({
      status: 'completed',
      format: 'shopify-orders',
      dryRun: true,
      processed: 2,
      created: 2,
    })
    expect((await start(['export', 'orders', '--shop', shop])).out).toBe('')
    const done = JSON.parse((await run(['import', file, '--shop', shop, ...options])).out)
    expect(done).toMatchObject({ dryRun: false, processed: 2, created: 2, failed: 0 })
    const lines = await start(['export', 'orders', '--shop', shop, '--format', 'ndjson'])
    expect(lines.err).toBe('1 orders exported.\n')
    expect(JSON.parse(lines.out)).toMatchObject({ paymentMethod: 'cod', customer: { email: '=ada@example.com' } })
    const table = join(folder, 'exported.csv')
    const written = await run(['export', 'orders', '--shop', shop, '--format', 'csv', '--out', table])
    expect([written.status, written.out]).toEqual([0, ''])
    expect(readFileSync(table, 'utf8')).toMatch(/,'=ada@example\.com,.*,'-Mug,,,physical,2,1\.00,2\.00\r\n/)
    const contacts = await run(['export', 'contacts', '--shop', shop, '--format', 'csv'])
    expect(contacts.out).toMatch(/^id,name,email,[^\r]*\r\n[0-9a-f-]{36},[^\r]*'=ada@example\.com,/)
    const shopify = await run(['export', 'contacts', '--shop', shop, '--format', 'shopify-csv'])
    expect(shopify.out).toMatch(/^Customer ID,First Name,[^\r]*\r\n[0-9a-f-]{36},,?[^\r]*'=ada@example\.com,no,/)
    const refused = await run(['export', 'subscriptions', '--shop', shop, '--format', 'shopify-csv'])
    expect([refused.status, refused.err]).toEqual([2, expect.stringContaining('products, orders and contacts')])
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
    const moved = await run(['import', table, '--shop', 'to', '--json'])
    expect([moved.status, JSON.parse(moved.out)]).toEqual([
      0,
      expect.objectContaining({ processed: 250, records: 500, created: 250 }),
    ])
    const same = await run(['import', table, '--shop', 'from', '--json'])
    expect(JSON.parse(same.out)).toMatchObject({ unchanged: 250, created: 0, updated: 0, failed: 0 })
    const many = await run(['products', 'list', '--shop', 'to', '--limit', '120', '--json'])
    expect(many.out.trim().split('\n')).toHaveLength(120)
  })

  test('a bad row makes the exit status 1 and is named with its line', async () => {
    const file = join(folder, 'bad.csv')
    writeFileSync(file, 'Handle,Title,Variant Price\nbad,Bad,one pound\n')
    const { status, out, err } = await run(['import', file, '--shop', handle, '--dry-run'])
    expect([status, err]).toEqual([1, 'This was a dry run: nothing was written.\n'])
    const real = await run(['import', file, '--shop', handle])
    expect([real.status, real.err]).toEqual([1, expect.stringMatching(/^Correct the failed rows .* again/)])
    expect(out).toMatch(
      /\nerrors\nLINE\tRECORD\tKEY\tCOLUMN\tCODE\tVALUE\tMESSAGE\tSEVERITY\n2\t1\tbad\tVariant Price\tmoney\tone pound\t.*\terror\n/,
    )
  })
})

describe('what goes wrong is said in words', () => {
  const stray = 'http://127.0.0.1:1'
  test.each<[string, number, RegExp]>([
    ['shpos', 2, /Unknown command 'shpos' \(Did you mean shops\?\)\nSee: npm run storefront -- --help\n$/],
    ['orders shp latest', 2, /Unknown command 'shp' \(Did you mean ship\?\)\nSee: .* orders --help\n$/],
    [
      'orders list --shop till --stauts new',
      2,
      /Unknown option '--stauts' \(Did you mean --status\?\)\nSee: .* orders list --help\n$/,
    ],
    ['orders list --shop till --status nwe', 2, /argument 'nwe' is invalid\. Did you mean new\?\n/],
    ['trigger order.payed --shop till', 2, /'order\.payed' is invalid .*\. Did you mean order\.paid\?\n/],
    ['webhooks create http://a --shop till --events order.lost', 2, /'order\.lost' is invalid/],
    ['orders', 2, /Required option '--shop <shop>' not specified\.\n/],
    ['orders ship --shop till', 2, /Missing required argument 'id'\.\n/],
    ['orders ship latest extra --shop till', 2, /Too many arguments for 'ship'\. Expected 1 argument but got 2\.\n/],
    ['shops --forward-to http://a', 2, /Unknown option '--forward-to'/],
    ['orders list --shop till --limit 0', 2, /--limit .*It must be 1 or more\.\n/],
    ['orders refund latest --shop till --amount-cents ten', 2, /--amount-cents .*It must be a whole number\.\n/],
    ['shops create --handle x', 2, /shops create needs --name\.\n/],
    ['shops change till', 2, /shops change has nothing to change\. Give at least one option\.\n/],
    ['products create --shop till --body {x', 2, /--body \{x cannot be read: it is not valid JSON\.\n/],
    [
      'shops --url 127.0.0.1:3100',
      2,
      /--url is 127\.0\.0\.1:3100, but must begin with http.*example http:\/\/127\.0\.0\.1:3100\.\n/,
    ],
    [
      'listen --shop till --forward-to localhost:4000',
      2,
      /--forward-to is localhost:4000, but must begin with http:\/\/ or https:\/\/\.\n/,
    ],
    [
      'export orders --shop till --out /nope/x',
      1,
      /The file \/nope\/x cannot be written: there is no such file or folder\.\n$/,
    ],
    ['import nothing.csv --shop till', 1, /The file nothing\.csv cannot be read: there is no such file or folder\.\n$/],
    ['import cli --shop till', 1, /cli is a folder; import takes one file\.\n$/],
    ['orders --shop nobody', 1, /No such shop\. \(not_found\)\n$/],
    ['keys revoke latest --shop to', 1, /The list is empty: latest names no object\.\n$/],
    [
      `shops --url ${stray}`,
      3,
      /The back office at http:\/\/127\.0\.0\.1:1 cannot be reached: .*\. Is it running\?\n$/,
    ],
  ])('%s', async (line, status, words) => {
    const ended = await runLine(line)
    expect(ended).toEqual({ status, out: '', err: expect.stringMatching(words) })
    expect(ended.err).toMatch(/^storefront: /)
    expect(ended.err).not.toMatch(/ENOENT|EISDIR|ECONN|fetch failed|ERR_|at .*\.ts:/)
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
        3,
        `storefront: There is no back office at http://127.0.0.1:${address}. The token was not sent. The back office listens on ADMIN_PORT, which is 3100 by default.\n`,
      ])
    }
    expect(seen).toEqual([undefined])
    stranger.close()
  })

  test('a wrong token, no token, and a setting that cannot be read', async () => {
    expect(await run(['shops'], { ADMIN_TOKEN: 'w'.repeat(32) })).toMatchObject({
      status: 1,
      err: expect.stringMatching(/\(unauthorized\)\n$/),
    })
    const empty = await run(['shops'], { DATA_DIR: join(folder, 'empty') })
    expect(empty).toMatchObject({ status: 1, err: expect.stringMatching(/^storefront: There is no token for http/) })
    const far = await run(['shops', '--url', 'http://back-office.invalid'])
    expect(far).toMatchObject({
      status: 1,
      err: expect.stringContaining('There is no token for http://back-office.invalid.'),
    })
    expect(await run(['shops'], { ADMIN_PORT: 'none' })).toMatchObject({
      status: 2,
      err: expect.stringMatching(/ADMIN_PORT is "none"/),
    })
  })

  test('colours are for terminals that want them', async () => {
    const colours = async (env: Record<string, string>) => (await start(['shpos'], env)).err.includes('\u001b[')
    expect([await colours({}), await colours({ FORCE_COLOR: '1' })]).toEqual([false, true])
  })
})

describeWhere(findProgram('script', process.env.PATH ?? '') !== null, 'script is missing')('on a terminal', () => {
  test('words are coloured, and plain with NO_COLOR', () => {
    const shown = (env: Record<string, string>) => {
      const command = `${process.execPath} ${join(import.meta.dirname, 'storefront.ts')} shpos`
      const options = { encoding: 'utf8', env: { ...childEnv, TERM: 'xterm-256color', ...env } } as const
      return execFileSync('script', ['-qc', command, '/dev/null'], options)
    }
    expect([shown({}).includes('\u001b['), shown({ NO_COLOR: '1' }).includes('\u001b[')]).toEqual([true, false])
  })
})

describe('storefront login', () => {
  test('keeps the token for its address, where further commands need neither; logout forgets it', async () => {
    const home = mkdtempSync(join(folder, 'home-'))
    const url = `http://127.0.0.1:${stack.adminPorts[0]}`
    const elsewhere = { HOME: home, DATA_DIR: join(home, 'none'), ADMIN_PORT: '1' }
    const refusedOne = await run(['login', '--url', url], elsewhere, 'wrong')
    expect([refusedOne.status, refusedOne.err]).toEqual([1, expect.stringContaining('(unauthorized)')])
    const done = await run(['login', '--url', `${url}/admin/v1/`], elsewhere, `${keptToken}\n`)
    expect([done.status, done.out, done.err]).toEqual([0, '', `Logged in to ${url}.\n`])
    expect(statSync(join(home, '.config/storefront/login.json')).mode & 0o777).toBe(0o600)
    expect(await run(['whoami'], elsewhere)).toMatchObject({ status: 0, out: expect.stringContaining('admin token') })
    const local = await run(['shops'], { ...elsewhere, ADMIN_TOKEN: keptToken })
    expect([local.status, local.err]).toEqual([3, expect.stringContaining('http://127.0.0.1:1')])
    expect(await run(['logout', '--json'], elsewhere)).toMatchObject({ status: 0, out: `${JSON.stringify({ url })}\n` })
    expect((await run(['shops', '--url', url], elsewhere)).err).toContain('There is no token')
    expect((await run(['logout'], elsewhere)).err).toContain('There is no login.')
  })
})

describe('storefront completion', () => {
  test('bash completes groups, verbs, options and their values', async () => {
    const file = join(folder, 'completion.bash')
    writeFileSync(file, (await run(['completion', 'bash'])).out)
    const complete = (...words: string[]) => {
      const typed = ['storefront', ...words].map((word) => `'${word}'`).join(' ')
      const script = `source ${file}; COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _storefront; echo "\${COMPREPLY[@]}"`
      return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split(' ')
    }
    expect(complete('sh')).toEqual(['shops'])
    expect(complete('orders', 'mark')).toEqual(['mark-paid'])
    expect(complete('orders', 'ship', 'x', '--tracking-')).toHaveLength(3)
    expect(complete('orders', 'list', '--status', 'c')).toEqual(['confirmed', 'completed', 'cancelled'])
    expect(complete('trigger', 'order.s')).toEqual(['order.shipped'])
  })

  test.each([
    ['zsh', '#compdef storefront\n', "'orders ship') words='--shop --tracking-carrier"],
    ['fish', '# Completion of storefront for fish.\n', "__fish_seen_subcommand_from ship' -l tracking-carrier -r"],
  ])('%s gets a script of its own, which it can read', async (shell, head, part) => {
    const { out } = await run(['completion', shell])
    expect(out.startsWith(head)).toBe(true)
    expect(out).toContain(part)
    const file = join(folder, `completion.${shell}`)
    writeFileSync(file, out)
    if (findProgram(shell, process.env.PATH ?? '') !== null) execFileSync(shell, ['-n', file])
  })
})
