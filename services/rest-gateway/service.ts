// Owns the public REST gateway: the REST API, its OpenAPI document, and the pages of the double opt-in.
// Answers: HTTP only. Calls: the actions of routes.ts and pages.ts, auth.admit, auth.give_back, usage.record. Keeps no rows.
// Spec: Endpoints, Authentication, Limits. Double opt-in: states-and-events.md 11.3 to 11.5.
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
  return port.gateway(context, restApp(context, port.admission).callback())
}
