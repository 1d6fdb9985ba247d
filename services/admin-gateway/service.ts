// Owns the back office's door: HTTP to actions, for the platform's own network. It keeps no rows; each call becomes one
// call on the bus to the service that owns the object, an import becomes many.
// Answers: nothing on the bus. Back office: Conventions, Endpoints.
import type { ServiceContext, ServiceDefinition, ServiceParts } from '#runtime/service'
import { openCalls } from '#calls/calls'
import { openHttpServer } from '#http/server'
import { adminApp } from './app.ts'
import { openImports } from './import/receive-file.ts'
import { removeOldUploads } from './import/upload.ts'

export const adminGateway: ServiceDefinition = {
  name: 'admin-gateway',
  storage: null,
  needsAdminToken: true,
  dependencies: ['auth', 'orders', 'catalog', 'contacts', 'subscriptions', 'webhooks'],
  schema: gatewaySchema,
}

// A file of 50 MB over a thin line; the time limits of a public gateway would cut it off.
const UPLOAD_MS = 900_000

function gatewaySchema(context: ServiceContext): ServiceParts {
  const { adminToken, adminPort } = context.settings
  if (adminToken === null) throw new Error('ADMIN_TOKEN is not set.')
  const calls = openCalls(context)
  const imports = openImports(context, calls)
  const handle = adminApp(context, calls, adminToken, imports.receive).callback()
  const server = openHttpServer((request, response) => void handle(request, response), { requestTimeout: UPLOAD_MS })
  return {
    async started() {
      await removeOldUploads()
      context.reportPort(await server.listen(adminPort))
    },
    async stopped() {
      const stopped = server.stop()
      await imports.stop()
      await stopped
    },
  }
}
