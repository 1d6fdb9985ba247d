// Owns the public port: the REST API and its OpenAPI document.
// Answers: HTTP only. Calls: the actions of routes.ts, auth.admit, auth.give_back, usage.record. Keeps no rows.
// Spec: Endpoints, Authentication, Limits.
import type { House, Opened, Service } from '#broker/house'
import { openDoor } from '#gateway/door'
import { openHttpServer } from '#gateway/http-server'
import { restApp } from './app.ts'
import { routes } from './routes.ts'

export const restGateway: Service = {
  name: 'rest-gateway',
  storage: null,
  needsAdminToken: false,
  calls: ['auth.admit', 'auth.give_back', 'usage.record', ...routes.map(({ action }) => action)],
  open,
}

async function open(house: House): Promise<Opened> {
  const door = openDoor(house, 'rest-gateway')
  const server = openHttpServer(restApp(house, door).callback())
  return {
    nodeHandlers: door.nodeHandlers,
    hints: door.hints,
    async start() {
      door.start()
    },
    listen: () => server.listen(house.settings.port),
    async stop() {
      await server.stop()
      await door.stop()
    },
  }
}
