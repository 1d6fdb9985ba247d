// The calls that create and change a product. The form makes the bodies; the API checks them.
import { api } from '../../frame/session.ts'
import type { Body } from '../../parts/fields/changes.ts'
import { zeroOf } from '../../parts/money.ts'
import type { Shop } from '../../screens.ts'
import type { Product } from './product.ts'
import { bodyOf, changeOf, typedOf, type TypedProduct } from './product-input.ts'

type Create = (shop: string, body: Body, options: { idempotencyKey: string }) => Promise<Product>
type Change = (shop: string, id: string, body: Body) => Promise<Product>
const untyped = (method: unknown) => method
const create = untyped(api.products.create) as Create
const change = untyped(api.products.change) as Change

/** Throws the refusal. `keyOf` makes the key of the call. */
export function createProduct(shop: Shop, typed: TypedProduct, keyOf: (body: Body) => string): Promise<Product> {
  const body = bodyOf(typed, shop.timeZone, zeroOf(shop.currency))
  return create(shop.handle, body, { idempotencyKey: keyOf(body) })
}

/** Sends what is typed in another way than `product` has it. Throws the refusal. */
export function changeProduct(shop: Shop, product: Product, typed: TypedProduct): Promise<Product> {
  const body = (of: TypedProduct) => bodyOf(of, shop.timeZone, product.price)
  return change(shop.handle, product.id, changeOf(body(typedOf(product, shop.timeZone)), body(typed)))
}
