// The story of agents: each asks which tools there are and calls some, as clients of the newest revision do.
import { check } from 'k6'
import http from 'k6/http'
import { handleSummary, headers, mcp, steady } from './report.js'

export const options = steady('mcp-agents', 0.25)
export { handleSummary }

const REVISION = '2026-07-28'
const calls = [
  { method: 'tools/list', params: {}, name: '' },
  { method: 'tools/call', params: { name: 'get_shop', arguments: {} }, name: 'get_shop' },
  { method: 'tools/call', params: { name: 'list_orders', arguments: { limit: 5 } }, name: 'list_orders' },
  { method: 'tools/call', params: { name: 'list_products', arguments: {} }, name: 'list_products' },
]

export default function agent() {
  const [url, own] = [mcp(), headers()]
  for (const [index, { method, params, name }] of calls.entries()) {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': REVISION,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'k6', version: '1' },
    }
    const response = http.post(
      `${url}/api/mcp`,
      JSON.stringify({ jsonrpc: '2.0', id: index + 1, method, params: { ...params, _meta: meta } }),
      {
        headers: {
          ...own,
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': REVISION,
          'mcp-method': method,
          ...(name === '' ? {} : { 'mcp-name': name }),
        },
        tags: { name: `${method} ${name}` },
      },
    )
    check(response, {
      'status is 200': (answer) => answer.status === 200,
      'has a result': (answer) => answer.json('result') !== undefined,
      'no tool failed': (answer) => answer.json('result.isError') !== true,
    })
  }
}
