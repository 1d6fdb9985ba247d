// The MCP gateway: one HTTP endpoint for agents, with the keys and budgets of the REST API (docs/spec/mcp.md). It answers no
// action and keeps no rows; it calls the actions of tools/tools.ts, and those of auth to admit and count requests.
import type { ServiceContext, ServiceDefinition, ServiceParts } from '#runtime/service'
import { publicPortOf } from '#admission/public-port'
import { mcpApp, takesPath } from './app.ts'

export const mcpGateway: ServiceDefinition = {
  name: 'mcp-gateway',
  storage: null,
  needsAdminToken: false,
  dependencies: ['auth'],
  optionalDependencies: ['orders', 'catalog', 'contacts'],
  schema: gatewaySchema,
}

function gatewaySchema(context: ServiceContext): ServiceParts {
  const port = publicPortOf(context)
  const takes = takesPath(context.settings)
  return port.gateway(context, mcpApp(context, port.admission, port.readers).callback(), { takes })
}
