// Owns the public REST gateway: the REST API, its OpenAPI document, and the pages of the double opt-in.
// Answers: HTTP only. Calls: the actions of routes.ts and pages.ts, auth.admit, auth.give_back, usage.record. Keeps no rows.
// Spec: Endpoints, Authentication, Limits. Double opt-in: states-and-events.md 11.3 to 11.5.
import type { House, Opened, Service } from '#runtime/house'
import { publicPortOf } from '#admission/public-port'
import { restApp } from './app.ts'
import { pageActions } from './opt-in/pages.ts'
import { routes } from './routes.ts'

export const restGateway: Service = {
  name: 'rest-gateway',
  storage: null,
  needsAdminToken: false,
  calls: ['auth.admit', 'auth.give_back', 'usage.record', ...pageActions, ...routes.map(({ action }) => action)],
  open,
}

async function open(house: House): Promise<Opened> {
  const port = publicPortOf(house)
  return port.open(restApp(house, port.door).callback())
}
