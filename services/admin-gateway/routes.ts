// Owns the list of the back-office endpoints, one line each: the table of contracts/admin-api.md.
// A line below `/shops/{shop}/` acts for that shop: the service hears it as its caller. `body` names the param in which the
// JSON body travels, as it came; the service that owns the object refuses what is wrong with it.
//
// Answers: an action gives the finished body as bytes. POST answers 201, because it creates; where only the service knows
// whether something was created, it gives `{ created, body }` instead and decides between 201 and 200. All else answers 200.
import type { ActionName } from '#contracts/actions'

export type Route = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  action: ActionName
  /** `file`: the body is a file of an import, streamed; any other word is the param that takes the JSON body. */
  body: string | null
}

/** What stands before every path of the list. */
export const BASE_PATH = '/admin/v1'

export const routes: readonly Route[] = [
  post('/shops', 'shops.create', 'shop'),
  get('/shops', 'shops.list'),
  get('/shops/{shop}', 'shops.get'),
  patch('/shops/{shop}', 'shops.change', 'change'),
  post('/shops/{shop}/keys', 'keys.create', 'key'),
  get('/shops/{shop}/keys', 'keys.list'),
  remove('/shops/{shop}/keys/{id}', 'keys.revoke'),
  post('/shops/{shop}/products', 'products.create', 'product'),
  get('/shops/{shop}/products', 'products.list'),
  get('/shops/{shop}/products/{id}', 'products.get'),
  patch('/shops/{shop}/products/{id}', 'products.change', 'product'),
  remove('/shops/{shop}/products/{id}', 'products.delete'),
  post('/shops/{shop}/contacts', 'contacts.save', 'contact'),
  get('/shops/{shop}/contacts', 'contacts.list'),
  get('/shops/{shop}/contacts/{id}', 'contacts.get'),
  post('/shops/{shop}/orders', 'orders.place', 'order'),
  get('/shops/{shop}/orders', 'orders.list'),
  get('/shops/{shop}/orders/{id}', 'orders.get'),
  post('/shops/{shop}/imports', 'imports.begin', 'file'),
  get('/shops/{shop}/imports', 'imports.list'),
  get('/shops/{shop}/imports/{id}', 'imports.get'),
  get('/shops/{shop}/usage', 'usage.list'),
]

function get(path: string, action: ActionName): Route {
  return { method: 'GET', path, action, body: null }
}

function post(path: string, action: ActionName, body: string): Route {
  return { method: 'POST', path, action, body }
}

function patch(path: string, action: ActionName, body: string): Route {
  return { method: 'PATCH', path, action, body }
}

function remove(path: string, action: ActionName): Route {
  return { method: 'DELETE', path, action, body: null }
}
