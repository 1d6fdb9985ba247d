// The routes of shops, and of their keys, products and contacts. docs/spec/back-office.md#shops,
// docs/spec/back-office.md#api-keys, docs/spec/back-office.md#products, docs/spec/back-office.md#contacts
import { deleted, erased, newApiKey } from '../objects/back-office.ts'
import { contact } from '../objects/contact.ts'
import { personData } from '../person-data.ts'
import { product } from '../objects/product.ts'
import { apiKey, shopRecord } from '../objects/shop.ts'
import { change, create, get, many, move, one, remove, renew, take } from './route.ts'

export const shopRoutes = [
  create('/shops', 'shops.create', one(shopRecord), 'Creates a shop.'),
  get('/shops', 'shops.list', many(shopRecord), 'Shops that the operator may see, newest first.'),
  get('/shops/{shop}', 'shops.get', one(shopRecord), 'One shop.'),
  change('/shops/{shop}', 'shops.change', one(shopRecord), 'Changes a shop; handle and currency never change.'),
  remove(
    '/shops/{shop}',
    'shops.delete',
    one(deleted),
    'Deletes a shop with everything in it; the body repeats its handle.',
    { statuses: [202] },
  ),
]

export const keyRoutes = [
  create('/shops/{shop}/keys', 'keys.create', one(newApiKey), 'Creates an API key; a shop has at most 5 live ones.', {
    showsSecret: true,
  }),
  get('/shops/{shop}/keys', 'keys.list', many(apiKey), 'API keys of the shop, newest first.'),
  remove('/shops/{shop}/keys/{id}', 'keys.revoke', one(apiKey), 'Revokes an API key; in force within 2 s.'),
  renew(
    '/shops/{shop}/keys/{id}/roll',
    'keys.roll',
    one(newApiKey),
    'Creates a key that replaces this one; the old one overlaps.',
    { showsSecret: true },
  ),
]

export const productRoutes = [
  create('/shops/{shop}/products', 'products.create', one(product), 'Creates a product with its variants.'),
  get('/shops/{shop}/products', 'products.list', many(product), 'Products, newest first; `variants` is empty here.'),
  get('/shops/{shop}/products/{id}', 'products.get', one(product), 'One product with its variants.'),
  change(
    '/shops/{shop}/products/{id}',
    'products.change',
    one(product),
    'Changes a product; `variants` replaces the list.',
  ),
  remove(
    '/shops/{shop}/products/{id}',
    'products.delete',
    one(deleted),
    'Deletes a product; order lines keep what was sold.',
  ),
]

export const contactRoutes = [
  create(
    '/shops/{shop}/contacts',
    'contacts.save',
    one(contact),
    'Creates a contact, or updates the one with that email or phone.',
    { statuses: [200, 201] },
  ),
  get('/shops/{shop}/contacts', 'contacts.list', many(contact), 'Contacts, newest first.'),
  get('/shops/{shop}/contacts/{id}', 'contacts.get', one(contact), 'One contact.'),
  take(
    '/shops/{shop}/contacts/{id}/data',
    'contacts.data',
    one(personData),
    'Everything that is held about one person, as one document.',
  ),
  move('/shops/{shop}/contacts/{id}/erase', 'contacts.erase', one(erased), 'Erases a person for good.'),
]
