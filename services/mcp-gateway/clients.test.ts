// The endpoint with the official clients: the modern one in each of its modes, and the legacy one
// (docs/spec/mcp.md#client-behaviour). Each checks `structuredContent` against the outputSchema that it listed before.
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { MCP_SERVER } from '#contracts/versions'
import { forms } from '#testing/product/deployment-forms'
import { openStack, type Stack } from '#testing/product/stack'

type Connected = {
  version: string | undefined
  server: unknown
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<Record<string, unknown>>
  close(): Promise<void>
}
type Connect = (url: URL, key: string) => Promise<Connected>

const about = { name: 'test', version: '0' }
const withKey = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } })

function modern(mode: 'auto' | 'legacy' | { pin: string }): Connect {
  return async (url, key) => {
    const client = new ModernClient(about, { versionNegotiation: { mode } })
    const transport = new ModernTransport(url, withKey(key))
    await client.connect(transport)
    return {
      version: client.getNegotiatedProtocolVersion(),
      server: client.getServerVersion(),
      listTools: () => client.listTools(),
      callTool: (params) => client.callTool(params),
      close: () => client.close(),
    }
  }
}

const legacy: Connect = async (url, key) => {
  const client = new LegacyClient(about)
  const transport = new LegacyTransport(url, withKey(key))
  await client.connect(transport)
  return {
    version: transport.protocolVersion,
    server: client.getServerVersion(),
    listTools: () => client.listTools(),
    callTool: (params) => client.callTool(params),
    close: () => client.close(),
  }
}

const clients: [string, Connect, string][] = [
  ['client 2, probing', modern('auto'), '2026-07-28'],
  ['client 2, pinned', modern({ pin: '2026-07-28' }), '2026-07-28'],
  ['client 2, as it comes', modern('legacy'), '2025-11-25'],
  ['sdk 1', legacy, '2025-11-25'],
]

describe.each(forms)('the official clients, %s', (form) => {
  let stack: Stack
  let shopId: string
  beforeAll(async () => {
    stack = await openStack({ form })
    shopId = (await stack.makeShop()).id
  })
  afterAll(() => stack.stop())

  test.each(clients)('%s lists, reads, saves a contact and tags it', async (name, connect, version) => {
    const { secret } = await stack.makeKey(shopId, 'write')
    const client = await connect(new URL(`http://127.0.0.1:${stack.mcpPorts[0]}/api/mcp`), secret)
    expect(client.version).toBe(version)
    expect(client.server).toEqual(MCP_SERVER)
    const { tools } = await client.listTools()
    expect(tools.map((tool) => tool.name)).toEqual([
      'create_contact',
      'get_contact',
      'get_order',
      'get_product',
      'get_shop',
      'list_contacts',
      'list_orders',
      'list_products',
      'update_contact_tags',
    ])
    const email = `${name.replaceAll(/\W/g, '-')}@example.com`
    const saved = await client.callTool({ name: 'create_contact', arguments: { email, tags: ['One', 'two'] } })
    expect(saved.structuredContent).toMatchObject({ data: { email, tags: ['one', 'two'], optInSent: false } })
    const { id } = (saved.structuredContent as { data: { id: string } }).data
    const tagged = await client.callTool({
      name: 'update_contact_tags',
      arguments: { id, add: ['three'], remove: ['one'] },
    })
    expect(tagged.structuredContent).toMatchObject({ data: { id, tags: ['two', 'three'] } })
    const read = await client.callTool({ name: 'get_contact', arguments: { id } })
    expect(read.structuredContent).toEqual(tagged.structuredContent)
    const listed = await client.callTool({ name: 'list_contacts', arguments: { email } })
    expect(listed.structuredContent).toMatchObject({ data: [{ id }], has_more: false, next_cursor: null })
    const refused = await client.callTool({ name: 'get_order', arguments: { id: 'none' } })
    expect(refused).toMatchObject({ isError: true })
    await client.close()
  })
})
