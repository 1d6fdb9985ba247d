// The public REST gateway: the REST API (docs/spec/rest-api.md), its OpenAPI document, and the pages of the double opt-in
// (docs/spec/double-opt-in.md#pages). It answers no action and keeps no rows; it calls the actions of routes.ts and
// opt-in/pages.ts, and those of auth to admit and count requests.
import type { ServiceContext, ServiceDefinition, ServiceParts } from '#runtime/service'
import { publicPortOf } from '#admission/public-port'
import { restApp } from './app.ts'

export const restGateway: ServiceDefinition = {
  name: 'rest-gateway',
  storage: null,
  needsAdminToken: false,
  dependencies: ['auth', 'orders', 'catalog', 'contacts'],
  schema: gatewaySchema,
}

function gatewaySchema(context: ServiceContext): ServiceParts {
  const port = publicPortOf(context)
  return port.gateway(context, restApp(context, port.admission, port.readers).callback())
}
