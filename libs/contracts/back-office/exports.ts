// The routes of exports: the lists with everything that an import needs to make equal objects. docs/spec/imports.md#export
import { exportedContact, exportedOrder, exportedProduct, exportedSubscription } from '../objects/exported.ts'
import { get, many } from './route.ts'

export const exportRoutes = [
  get(
    '/shops/{shop}/exports/orders',
    'orders.export',
    many(exportedOrder),
    'Orders as they can be imported again, newest first.',
  ),
  get(
    '/shops/{shop}/exports/products',
    'products.export',
    many(exportedProduct),
    'Products with their variants as they can be imported again, newest first.',
  ),
  get(
    '/shops/{shop}/exports/contacts',
    'contacts.export',
    many(exportedContact),
    'Contacts with their consents as they can be imported again, newest first.',
  ),
  get(
    '/shops/{shop}/exports/subscriptions',
    'subscriptions.export',
    many(exportedSubscription),
    'Memberships as they can be imported again, newest first.',
  ),
]
