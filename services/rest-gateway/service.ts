// The public REST gateway: the REST API (docs/spec/rest-api.md), its reference (docs/spec/reference.md#reference-pages), and the
// pages of the double opt-in (docs/spec/double-opt-in.md#pages). It answers no action and keeps no rows; it calls the actions of
// routes.ts and opt-in/pages.ts, and those of auth to admit and count requests.
import type { Context } from 'moleculer'
import type { ServiceContext, ServiceDefinition, ServiceParts } from '#runtime/service'
import { publicPortOf } from '#admission/public-port'
import { restApp } from './app.ts'
import { openEventWaiters } from './events/waiters.ts'

export const restGateway: ServiceDefinition = {
  name: 'rest-gateway',
  storage: null,
  needsAdminToken: false,
  dependencies: ['auth'],
  optionalDependencies: ['orders', 'catalog', 'contacts'],
  schema: gatewaySchema,
}

function gatewaySchema(context: ServiceContext): ServiceParts {
  const port = publicPortOf(context)
  const waiters = openEventWaiters(context.call)
  const app = restApp(context, port.admission, port.readers, waiters)
  const parts = port.gateway(context, app.callback(), { onStop: () => waiters.stop() })
  return {
    ...parts,
    events: {
      ...parts.events,
      'events.stored': (ctx: Context<{ shop_ids: string[] }>) => waiters.changed(ctx.params.shop_ids),
    },
  }
}
