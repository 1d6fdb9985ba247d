// Owns the MCP endpoint: the same shop, key and budget for agents.
// Answers: HTTP only. Calls: the actions of tools.ts, auth.admit, auth.give_back, usage.record. Keeps no rows.
// Spec: MCP endpoint, MCP errors; Authentication, rules 6 to 9.
import type { ServiceContext, ServiceDefinition, ServiceParts } from '#runtime/service'
import { publicPortOf } from '#admission/public-port'
import { MCP_PATH, mcpApp } from './app.ts'

export const mcpGateway: ServiceDefinition = {
  name: 'mcp-gateway',
  storage: null,
  needsAdminToken: false,
  dependencies: ['auth', 'orders', 'catalog', 'contacts'],
  schema: gatewaySchema,
}

function gatewaySchema(context: ServiceContext): ServiceParts {
  const port = publicPortOf(context)
  return port.gateway(context, mcpApp(context, port.admission).callback(), MCP_PATH)
}
