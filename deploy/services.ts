// Owns the list of every service of the product, in the order in which one process starts them.
import type { Service } from '#broker/house'
import { adminGateway } from '../services/admin-gateway/service.ts'
import { auth } from '../services/auth/service.ts'
import { catalog } from '../services/catalog/service.ts'
import { contacts } from '../services/contacts/service.ts'
import { orders } from '../services/orders/service.ts'
import { restGateway } from '../services/rest-gateway/service.ts'

export const services: Service[] = [auth, catalog, contacts, orders, restGateway, adminGateway]
