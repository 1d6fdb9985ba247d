// The table of commands against the routes of the back office, and every command run as its help shows it.
// docs/spec/command-line.md
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { routes } from '#contracts/back-office/routes'
import { type EventBody, eventKinds } from '#contracts/objects/webhook-event'
import { onServer } from '#testing/database'
import { openReceiver, type Receiver } from '#testing/servers/receiver'
import { makeAgent, makeAgentRequest } from '#testing/product/agents'
import { openStack, type Stack } from '#testing/product/stack'
import { until } from '#testing/until'
import { commands, runCommandLine } from '../program.ts'
import { otherCommands, table } from './table.ts'

const commandOf = new Map<string, string>([
  ...table.map(({ action, words }) => [action, words] as const),
  ...Object.entries(otherCommands),
])

describe('the table of commands', () => {
  test('has a command for every route, and every command exists', () => {
    expect(routes.filter(({ action }) => !commandOf.has(action))).toEqual([])
    const known = new Set(commands.map(({ words }) => words))
    expect([...commandOf.values()].filter((words) => !known.has(words))).toEqual([])
  })

  test('is the table of the guide, by routes', () => {
    const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/command-line.md'), 'utf8')
    const rows = routes.map(({ method, path, action }) => `| \`${method} ${path}\` | \`${commandOf.get(action)}\` |`)
    const shown = guide.split('\n').filter((line) => /^\| `(GET|POST|PUT|PATCH|DELETE) /.test(line))
    expect(shown).toEqual(rows)
  })

  test('names every command once, and each says what it does with an example', () => {
    const words = commands.map((command) => command.words)
    expect(new Set(words).size).toBe(words.length)
    expect(commands.filter(({ about, examples }) => about === '' || examples.length === 0)).toEqual([])
  })
})

describe('every command runs as its help shows it', () => {
  let stack: Stack
  let receiver: Receiver
  const written = { out: '', err: '' }
  const environment = { ...process.env }
  beforeAll(async () => {
    stack = await openStack({ form: 'one-process', env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
    receiver = await openReceiver()
    await stack.makeShop({ handle: 'demo', mode: 'test' })
    process.env.ADMIN_TOKEN = 'an-operator-token-for-tests-only'
    process.env.ADMIN_PORT = String(stack.adminPorts[0])
    for (const [stream, name] of [[process.stdout, 'out'] as const, [process.stderr, 'err'] as const]) {
      jest.spyOn(stream, 'write').mockImplementation((text) => {
        written[name] += String(text)
        return true
      })
    }
    for (const command of [
      `webhooks create ${receiver.url} --shop demo`,
      'products create --title Mug --price-cents 1250 --shop demo',
      'trigger order.paid --shop demo',
      'trigger subscription.created --shop demo',
    ]) {
      expect(await run(command)).toMatchObject({ status: 0 })
    }
  })
  afterAll(async () => {
    jest.restoreAllMocks()
    process.env = environment
    await receiver.close()
    await stack.stop()
  })

  /** Runs a line as a shell would split it. */
  async function run(line: string): Promise<{ status: number; out: string; err: string }> {
    Object.assign(written, { out: '', err: '' })
    const args = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
      ([, one, two, plain]) => one ?? two ?? plain ?? '',
    )
    const status = await runCommandLine(args)
    return { status, ...written }
  }

  const bankOrder = `orders place --payment-method bank_transfer --items '[{"title":"Mug","kind":"physical","quantity":1,"unitPrice":{"cents":1250}}]' --shop demo`
  /** What must have happened before the example, in the order of the table. */
  const before: Record<string, string[]> = {
    'orders payment-pending': [bankOrder],
    'orders ship': ['trigger order.paid --shop demo'],
    'orders cancel': ['trigger order.paid --shop demo'],
    'orders refund': ['trigger order.paid --shop demo'],
    'orders reschedule': ['trigger booking.confirmed --shop demo'],
    'subscriptions create': ['trigger subscription.created --shop demo'],
    'subscriptions cancel': ['trigger subscription.created --shop demo'],
    'operators list': ['operators create --name Owner --email owner@example.com --role owner'],
    'imports list': ['import deploy/demo/shopify-products.csv --shop demo'],
  }
  /** One that runs, for all that is known. */
  const beginImport = () =>
    onServer(
      stack.databaseUrl,
      `insert into auth.imports (id, shop_id, dry_run, status, created_at, updated_at)
       select gen_random_uuid(), id, false, 'running', now(), now() from auth.shops where handle = 'demo'`,
    )
  const isSettled = async () => (await run('deliveries list --status pending --shop demo --json')).out === ''

  test.each(table.map(({ words }) => [words]))('%s', async (words) => {
    const example = commands.find((command) => command.words === words)?.examples[0] ?? ''
    for (const line of before[words] ?? []) expect(await run(line)).toMatchObject({ status: 0 })
    if (words === 'imports cancel') await beginImport()
    if (words === 'agents show') await makeAgent(stack, 'demo')
    if (/^(events|deliveries|webhooks)/.test(words)) await until(isSettled)
    const { productId, clientId } = JSON.parse(
      (await run('subscriptions show latest --shop demo --json')).out,
    ) as Record<string, string>
    const line = `${words} ${example}`
      .replace('--product-id ID', `--product-id ${productId}`)
      .replace('--client-id ID', `--client-id ${clientId}`)
      .replace(/^(agents \w+) ID/, `$1 ${await makeAgentRequest(stack)}`)
    const { status, out, err } = await run(`${line} --json`)
    expect({ status, err }).toEqual({ status: 0, err: expect.stringMatching(/^(The secret is not shown again\.\n)?$/) })
    for (const object of out.trim().split('\n').filter(Boolean)) expect(JSON.parse(object)).toBeInstanceOf(Object)
    if (!/ (list|show|history|usage|settings|replays|tokens)$/.test(words)) return
    expect(await run(line)).toMatchObject({ status: 0, err: '' })
  })

  test.each([
    ['whoami', /^id\t00000000-0000-0000-0000-000000000000\nname\tadmin token\n/],
    ['operators link --email owner@example.com', /\/#code=/],
    ['outbox list', /^$/],
    ['audit --action shops.create', /\tadmin token\tshops\.create\tdone\t/],
    ['audit --shop demo --limit 1', /^AT\t.*\n.*\n$/],
  ])('%s', async (line, words) => {
    expect(await run(line)).toEqual({ status: 0, out: expect.stringMatching(words), err: '' })
  })

  test.each([...eventKinds])('trigger %s', async (kind) => {
    const { status, out, err } = await run(`trigger ${kind} --shop demo --json`)
    expect({ status, err }).toEqual({ status: 0, err: '' })
    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as EventBody)
    expect(events.map(({ type }) => type)).toContain(kind)
    expect(events.map(({ sequence, test: isTest }) => [sequence, isTest])).toEqual(
      events.map((_, at) => [at + 1, false]),
    )
  })

  test('webhooks replay --dry-run', async () => {
    await run(`webhooks create ${receiver.url} --shop demo`)
    expect(await run('webhooks replay latest --from 12h --dry-run --shop demo')).toEqual({
      status: 0,
      out: expect.stringMatching(/^events\t\d+\ndelivered\t0\n$/),
      err: '',
    })
  })

  test('events resend', async () => {
    await until(isSettled)
    expect(await run('events resend latest --shop demo')).toMatchObject({
      status: 0,
      out: expect.stringContaining('\t200\t'),
    })
  })
})
