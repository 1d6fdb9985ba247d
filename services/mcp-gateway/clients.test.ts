// The endpoint with the official clients of TypeScript (1.x and 2.x), Python and Go, in each of their modes: they connect, list,
// call every tool and are refused (docs/spec/mcp.md#client-behaviour). Each checks `structuredContent` against the outputSchema
// that it listed.
import { spawn } from 'node:child_process'
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { MCP_SERVER } from '#contracts/versions'
import { duringTests } from '#testing/during-tests'
import { forms } from '#testing/product/deployment-forms'
import { buildGo, inGo, inPython, python } from '#testing/mcp-clients/programs'
import { openStack } from '#testing/product/stack'
import { describeWhere } from '#testing/where-possible'

type Json = { [field: string]: unknown }
type Call = { name: string; arguments: Json }
type Called = { failed: string } | { isError: boolean; text: string; structured: unknown }
type Session = {
  version: string | undefined
  server: unknown
  listed: { failed: string } | { tools: string[] }
  called: Called[]
}
/** Connects with one key, lists the tools, then makes the calls. */
type Run = (url: string, key: string, calls: Call[]) => Promise<Session>
type Connected = {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(call: Call): Promise<{ isError?: unknown; content?: unknown; structuredContent?: unknown }>
}

const about = { name: 'test', version: '0' }
const withKey = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } })

function typescript2(mode: 'auto' | 'legacy' | { pin: string }): Run {
  return async (url, key, calls) => {
    const client = new ModernClient(about, { versionNegotiation: { mode } })
    await client.connect(new ModernTransport(new URL(url), withKey(key)))
    const done = await inTypescript(client as Connected, calls)
    const connected = { version: client.getNegotiatedProtocolVersion(), server: client.getServerVersion() }
    await client.close()
    return { ...connected, ...done }
  }
}

const typescript1: Run = async (url, key, calls) => {
  const client = new LegacyClient(about)
  const transport = new LegacyTransport(new URL(url), withKey(key))
  await client.connect(transport)
  const done = await inTypescript(client as Connected, calls)
  const server = client.getServerVersion()
  await client.close()
  return { version: transport.protocolVersion, server, ...done }
}

async function inTypescript(client: Connected, calls: Call[]): Promise<Pick<Session, 'listed' | 'called'>> {
  const attempt = <Given, Taken>(work: Promise<Given>, take: (given: Given) => Taken) =>
    work.then(take, (error: unknown) => ({ failed: String(error) }))
  const listed = await attempt(client.listTools(), ({ tools }) => ({ tools: tools.map(({ name }) => name) }))
  const called: Called[] = []
  for (const call of calls) {
    called.push(
      await attempt(client.callTool(call), ({ isError = false, content, structuredContent = null }) => {
        const [{ text }] = content as [{ text: string }]
        return { isError: isError === true, text, structured: structuredContent }
      }),
    )
  }
  return { listed, called }
}

/** A program that reads the session as JSON and prints what came back. */
function program(command: () => string[], mode: string): Run {
  return (url, key, calls) => {
    const [file = '', ...args] = command()
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    const text = { out: '', err: '' }
    child.stdout.on('data', (chunk: Buffer) => (text.out += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (text.err += chunk.toString()))
    child.stdin.end(JSON.stringify({ url, key, mode, calls }))
    const { promise, resolve, reject } = Promise.withResolvers<Session>()
    child.once('error', reject)
    child.once('close', (status) =>
      status === 0 ? resolve(JSON.parse(text.out) as Session) : reject(new Error(`${file} ended: ${text.err}`)),
    )
    return promise
  }
}

const always = { possible: true, reason: '' }
const clients = [
  { name: 'TypeScript 2, probing', ...always, run: typescript2('auto'), version: '2026-07-28' },
  { name: 'TypeScript 2, pinned', ...always, run: typescript2({ pin: '2026-07-28' }), version: '2026-07-28' },
  { name: 'TypeScript 2, as it comes', ...always, run: typescript2('legacy'), version: '2025-11-25' },
  { name: 'TypeScript 1', ...always, run: typescript1, version: '2025-11-25' },
  {
    name: 'Python, probing',
    ...inPython,
    run: program(() => python('python/client.py'), 'auto'),
    version: '2026-07-28',
  },
  {
    name: 'Python, legacy',
    ...inPython,
    run: program(() => python('python/client.py'), 'legacy'),
    version: '2025-11-25',
  },
  { name: 'Go, probing', ...inGo, run: program(() => go?.command ?? [], '2026-07-28'), version: '2026-07-28' },
  { name: 'Go, legacy', ...inGo, run: program(() => go?.command ?? [], '2025-06-18'), version: '2025-06-18' },
]
const reads = ['get_contact', 'get_order', 'get_product', 'get_shop', 'list_contacts', 'list_orders', 'list_products']

let go: ReturnType<typeof buildGo> | undefined
beforeAll(() => {
  if (inGo.possible) go = buildGo()
}, 300_000)
afterAll(() => go?.remove())

describe.each(forms)('the official clients, %s', (form) => {
  const stack = duringTests(() => openStack({ form, env: { REQUESTS_PER_MINUTE: '40' } }))
  let url: string
  beforeAll(async () => {
    url = `http://127.0.0.1:${stack.mcpPorts[0]}/api/mcp`
  })

  describe.each(clients)('$name', ({ name, possible, reason, run, version }) => {
    describeWhere(possible, reason)(`the client ${name}`, () => {
      let shopId: string
      const ids: Record<string, string> = {}
      beforeAll(async () => {
        shopId = (await stack.makeShop()).id
        ids.product = (await stack.makeProduct(shopId, { title: 'Vase', kind: 'physical', price: { cents: 5 } })).id
        ids.contact = (await stack.makeContact(shopId, { email: 'ada@example.com' })).id
        const items = [{ productId: ids.product, quantity: 2 }]
        ids.order = (await stack.makeOrder(shopId, { paymentMethod: 'card', items })).id
      })

      test('calls every tool and reads what REST answers', async () => {
        const { secret: key } = await stack.makeKey(shopId, 'write')
        const contact = { id: ids.contact }
        const session = await run(url, key, [
          { name: 'create_contact', arguments: { email: 'ada@example.com', tags: ['One'] } },
          { name: 'update_contact_tags', arguments: { ...contact, add: ['two'], remove: ['one'] } },
          { name: 'get_contact', arguments: contact },
          { name: 'get_contact', arguments: { ...contact, fields: ['tags'] } },
          { name: 'get_order', arguments: { id: ids.order } },
          { name: 'get_product', arguments: { id: ids.product } },
          { name: 'get_shop', arguments: {} },
          { name: 'list_contacts', arguments: { email: 'ada@example.com' } },
          { name: 'list_orders', arguments: { status: 'new', fields: ['total'] } },
          { name: 'list_products', arguments: { limit: 1 } },
        ])
        expect({ version: session.version, server: session.server }).toEqual({ version, server: MCP_SERVER })
        expect(session.listed).toEqual({ tools: ['create_contact', ...reads, 'update_contact_tags'] })
        const rest = async (path: string) => (await stack.get(`/api/v1${path}`, { key })).body
        const total = { cents: 10, amount: '0.10', currency: 'GBP' }
        const expected = [
          { data: expect.objectContaining({ ...contact, tags: ['one'], optInSent: false }) },
          { data: expect.objectContaining({ ...contact, tags: ['two'] }) },
          await rest(`/contacts/${ids.contact}`),
          { data: { ...contact, object: 'contact', tags: ['two'] } },
          await rest(`/orders/${ids.order}`),
          await rest(`/products/${ids.product}`),
          await rest('/shop'),
          await rest('/contacts?email=ada%40example.com'),
          { data: [{ id: ids.order, object: 'order', total }], has_more: false, next_cursor: null },
          await rest('/products?limit=1'),
        ]
        expect(session.called).toEqual(
          expected.map((structured) => ({ isError: false, text: expect.stringMatching(/^\{"data":/), structured })),
        )
      })

      test('reads refusals: bad arguments, a missing id, a read-only key', async () => {
        const { secret: key } = await stack.makeKey(shopId)
        const { listed, called } = await run(url, key, [
          { name: 'list_orders', arguments: { status: 'paid' } },
          { name: 'get_order', arguments: { id: '3f1c9b52-6f0e-4a41-9d3c-0a4c8a3f7c11' } },
          { name: 'update_contact_tags', arguments: { id: ids.contact, add: ['three'] } },
        ])
        expect(listed).toEqual({ tools: reads })
        const refused = (text: RegExp) => ({ isError: true, text: expect.stringMatching(text), structured: null })
        expect(called).toEqual([
          refused(/^invalid_request: status must be one of new, /),
          refused(/^not_found: No order with that id in this shop\./),
          { failed: expect.stringMatching(/may need a key with write access/) },
        ])
      })

      test('gets an error when the budget of its key is used up', async () => {
        const { secret: key } = await stack.makeKey(shopId)
        const answers: number[] = []
        while (answers.at(-1) !== 429) answers.push((await stack.get('/api/v1/shop', { key })).status)
        const { listed, called } = await run(url, key, [{ name: 'get_shop', arguments: {} }])
        const failed = expect.stringMatching(/429|Too Many Requests|More than 40 calls in a minute/)
        expect({ listed, called }).toEqual({ listed: { failed }, called: [{ failed }] })
      })
    })
  })
})
