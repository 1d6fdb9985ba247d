// The admin gateway: the back-office API over HTTP, for the platform's own network (docs/spec/back-office.md). It answers no action
// and keeps no rows; each request becomes one call to the service that owns the object, an import many. Broadcasts shops.watched and hears shops.seen for live streams.
import type { Context } from 'moleculer'
import type { SeenInShop } from '#contracts/objects/request'
import type { ServiceContext, ServiceDefinition, ServiceParts } from '#runtime/service'
import { openCalls } from '#calls/calls'
import { openHttpServer } from '#http/server'
import { openReaders } from '#http/slow-readers'
import { openAuditLog } from './access/audit-log.ts'
import { adminApp } from './app.ts'
import { openLive } from './live/live.ts'
import { openImports } from './import/receive-file.ts'
import { removeOldUploads } from './import/upload.ts'

export const adminGateway: ServiceDefinition = {
  name: 'admin-gateway',
  storage: null,
  needsAdminToken: true,
  dependencies: ['auth'],
  optionalDependencies: ['orders', 'catalog', 'contacts', 'subscriptions', 'webhooks'],
  schema: gatewaySchema,
}

// For a file of several gigabytes; one that stalls is refused much earlier.
const UPLOAD_MS = 6 * 3_600_000

function gatewaySchema(context: ServiceContext): ServiceParts {
  const { adminPort, host } = context.settings
  const calls = openCalls(context)
  const imports = openImports(context, calls)
  const readers = openReaders(context)
  const live = openLive(context)
  const auditLog = openAuditLog(context)
  const handle = adminApp(context, { calls, readers, live, auditLog }, imports.receive).callback()
  const server = openHttpServer(handle, { requestTimeout: UPLOAD_MS }, readers)
  return {
    events: { 'shops.seen': (ctx: Context<SeenInShop>) => live.seen(ctx.params) },
    async started() {
      await removeOldUploads()
      imports.start()
      context.reportPort(await server.listen(adminPort, host, 'ADMIN_PORT'))
    },
    async stopped() {
      live.stop()
      const stopped = server.stop()
      await imports.stop()
      await stopped
      await auditLog.stop()
    },
  }
}
