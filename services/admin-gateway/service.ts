// Owns the back office's door: HTTP to actions, for the platform's own network. It keeps no rows; each call becomes one
// call on the bus to the service that owns the object, an import becomes many.
// Answers: nothing on the bus. Back office: Conventions, Endpoints.
import type { House, Opened, Service } from '#runtime/house'
import { openCalls } from '#calls/calls'
import { openHttpServer } from '#http/server'
import { adminApp } from './app.ts'
import { openImports } from './import/receive-file.ts'
import { removeOldUploads } from './import/upload.ts'
import { routes } from './routes.ts'

export const adminGateway: Service = {
  name: 'admin-gateway',
  storage: null,
  needsAdminToken: true,
  calls: ['shops.find', ...routes.map(({ action }) => action)],
  open,
}

// A file of 50 MB over a thin line; the time limits of a public gateway would cut it off.
const UPLOAD_MS = 900_000

async function open(house: House): Promise<Opened> {
  const { adminToken, adminPort } = house.settings
  if (adminToken === null) throw new Error('ADMIN_TOKEN is not set.')
  const calls = openCalls(house)
  const imports = openImports(house, calls)
  const handle = adminApp(house, calls, adminToken, imports.receive).callback()
  const server = openHttpServer((request, response) => void handle(request, response), { requestTimeout: UPLOAD_MS })
  return {
    async start() {
      await removeOldUploads()
    },
    listen: () => server.listen(adminPort),
    async stop() {
      const stopped = server.stop()
      await imports.stop()
      await stopped
    },
  }
}
