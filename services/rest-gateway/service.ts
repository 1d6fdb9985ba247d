// Owns the public port: the REST API, its OpenAPI document, and the pages of the double opt-in.
// Answers: HTTP only. Calls: the actions of routes.ts and pages.ts, auth.admit, auth.give_back, usage.record. Keeps no rows.
// Spec: Endpoints, Authentication, Limits. Double opt-in: states-and-events.md 11.3 to 11.5.
import type { House, Opened, Service } from '#broker/house'
import { openDoor } from '#gateway/door'
import { openHttpServer } from '#gateway/http-server'
import { restApp } from './app.ts'
import { pageActions } from './pages.ts'
import { routes } from './routes.ts'

export const restGateway: Service = {
  name: 'rest-gateway',
  storage: null,
  needsAdminToken: false,
  calls: ['auth.admit', 'auth.give_back', 'usage.record', ...pageActions, ...routes.map(({ action }) => action)],
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
    async listen() {
      const { settings } = house
      const port = await server.listen(settings.port)
      // With PORT=0 it is only known now where the links in mails lead.
      if (settings.publicUrl === 'http://127.0.0.1:0') settings.publicUrl = `http://127.0.0.1:${port}`
      return port
    },
    async stop() {
      await server.stop()
      await door.stop()
    },
  }
}
