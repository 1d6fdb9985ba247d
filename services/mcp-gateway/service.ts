// Owns the MCP endpoint: the same shop, key and budget for agents.
// Answers: HTTP only. Calls: the actions of tools.ts, auth.admit, auth.give_back, usage.record. Keeps no rows.
// Spec: MCP endpoint, MCP errors; Authentication, rules 6 to 9.
import type { House, Opened, Service } from '#runtime/house'
import { publicPortOf } from '#admission/public-port'
import { MCP_PATH, mcpApp } from './app.ts'
import { tools } from './tools/tools.ts'

export const mcpGateway: Service = {
  name: 'mcp-gateway',
  storage: null,
  needsAdminToken: false,
  calls: ['auth.admit', 'auth.give_back', 'usage.record', ...tools.map(({ action }) => action)],
  open,
}

async function open(house: House): Promise<Opened> {
  const port = publicPortOf(house)
  return port.open(mcpApp(house, port.door).callback(), MCP_PATH)
}
