// Owns the list of every service of the product, in the order in which one process starts them.
import type { ServiceDefinition } from '#runtime/service'
import { adminGateway } from '../services/admin-gateway/service.ts'
import { auth } from '../services/auth/service.ts'
import { catalog } from '../services/catalog/service.ts'
import { contacts } from '../services/contacts/service.ts'
import { mcpGateway } from '../services/mcp-gateway/service.ts'
import { orders } from '../services/orders/service.ts'
import { restGateway } from '../services/rest-gateway/service.ts'
import { subscriptions } from '../services/subscriptions/service.ts'
import { webhooks } from '../services/webhooks/service.ts'

export const services: ServiceDefinition[] = [
  auth,
  catalog,
  contacts,
  orders,
  subscriptions,
  webhooks,
  restGateway,
  mcpGateway,
  adminGateway,
]
