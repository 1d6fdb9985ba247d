// The public endpoints, one line each (docs/spec/rest-api.md#endpoints). The app, the OpenAPI document and the tests read this table.
import type { z } from 'zod'
import type { ActionName } from '#contracts/actions'
import { contact, savedContact } from '#contracts/objects/contact'
import { order } from '#contracts/objects/order'
import { page, single, stamp } from '#contracts/objects/scalar'
import { product } from '#contracts/objects/product'
import { shop } from '#contracts/objects/shop'
import { event } from '#contracts/objects/webhook-event'

export type Endpoint = {
  method: 'GET' | 'POST'
  /** In the form of the specification: `/orders/{id}`. */
  path: string
  action: ActionName
  /** How long a gateway waits: see #calls/calls. */
  asks: 'read' | 'command' | 'commandWithMail'
  /** The body of the answer. */
  returns: z.ZodType
  id: string
  about: string
}

/** The prefix of every path. */
export const BASE_PATH = '/api/v1'

export const routes: readonly Endpoint[] = [
  get('/orders', 'orders.list', page(order), 'listOrders', 'Orders, newest first, each with its items.'),
  stamps('/orders/stamps', 'orders.stamps', 'listOrderStamps', 'orders'),
  get('/orders/{id}', 'orders.get', single(order), 'getOrder', 'One order.'),
  get('/products', 'products.list', page(product), 'listProducts', 'Products, newest first; `variants` is empty here.'),
  stamps('/products/stamps', 'products.stamps', 'listProductStamps', 'products'),
  get('/products/{id}', 'products.get', single(product), 'getProduct', 'One product with its variants.'),
  get('/contacts', 'contacts.list', page(contact), 'listContacts', 'Contacts, newest first.'),
  post(
    '/contacts',
    'contacts.upsert',
    'commandWithMail',
    single(savedContact),
    'saveContact',
    'Creates a contact, or updates the one with that email or phone; may send the opt-in mail.',
  ),
  stamps('/contacts/stamps', 'contacts.stamps', 'listContactStamps', 'contacts'),
  get('/contacts/{id}', 'contacts.get', single(contact), 'getContact', 'One contact.'),
  post(
    '/contacts/{id}/tags',
    'contacts.tag',
    'command',
    single(contact),
    'changeContactTags',
    'Adds tags to a contact and takes tags off.',
  ),
  get(
    '/events',
    'events.feed',
    page(event),
    'listEvents',
    'The events of the shop: oldest first behind a cursor, newest first without; `next_cursor` always leads to what comes next.',
  ),
  get('/shop', 'shop.get', single(shop), 'getShop', 'The shop of the key: currency, time zone and handle.'),
]

function get(path: string, action: ActionName, returns: Endpoint['returns'], id: string, about: string): Endpoint {
  return { method: 'GET', path, action, asks: 'read', returns, id, about }
}

/** Stands before the path with `{id}`, which would take it for an id. */
function stamps(path: string, action: ActionName, id: string, noun: string): Endpoint {
  return get(
    path,
    action,
    page(stamp),
    id,
    `The id and \`updatedAt\` of all ${noun}, in the order of the ids, to compare a copy with.`,
  )
}

/** A write, for keys with write access. `asks` is `commandWithMail` where the action may send a mail. */
function post(
  path: string,
  action: ActionName,
  asks: 'command' | 'commandWithMail',
  returns: Endpoint['returns'],
  id: string,
  about: string,
): Endpoint {
  return { method: 'POST', path, action, asks, returns, id, about }
}
