// The columns of the exports of whole objects: the one description by which they are written and read again.
// docs/spec/imports.md#our-own-files
import { personalFields } from '#contracts/objects/personal'

export const exportLists = ['orders', 'products', 'contacts', 'subscriptions'] as const
export type ExportList = (typeof exportLists)[number]

/**
 * `text` includes ids and enumerations. `present`: whether the object at the path is there. `currency` is compared with the shop's.
 * `shown` follows from other fields and is not read.
 */
export type CellType =
  | 'text'
  | 'integer'
  | 'money'
  | 'boolean'
  | 'instant'
  | 'list'
  | 'pairs'
  | 'present'
  | 'currency'
  | 'shown'

/** `path` leads to the value in the object, or in an element of its children. */
export type Column = { name: string; path: readonly string[]; type: CellType; isNullable: boolean }

/** The objects of one list; `children` are the elements of an array of each object, one row each. */
export type ObjectTable = {
  list: ExportList
  /** The word in the field `object`. */
  object: string
  /** Without the id, which is the first column of every row. */
  columns: readonly Column[]
  children: { name: string; columns: readonly Column[] } | null
}

/** The column of the object's id, and the column by which objects from elsewhere are known. */
export const idColumn = 'id'
export const externalIdColumn = 'externalId'

const address = textsOrNone('address', 'line1 line2 city region postalCode country')

export const objectTables: Readonly<Record<ExportList, ObjectTable>> = {
  orders: {
    list: 'orders',
    object: 'order',
    columns: [
      ...of('text', 'status paymentStatus paymentMethod'),
      ...of('currency', 'currency'),
      ...of('money', 'subtotal discount deliveryFee tax total refunded'),
      ...of('integer', 'itemCount'),
      ...textsOrNone('customer', 'clientId name email phone'),
      ...address,
      ...textsOrNone('delivery', 'method label pickupLocation trackingCarrier trackingNumber trackingUrl'),
      ...orNone(of('instant', 'delivery.shippedAt')),
      ...of('present', 'booking'),
      ...orNone(of('instant', 'booking.scheduledFor')),
      ...textsOrNone('booking', 'serviceMode serviceLocation'),
      ...orNone(of('text', 'coupon.code affiliate.code note privateNote')),
      ...of('instant', 'createdAt'),
      ...of('shown', 'updatedAt'),
    ],
    children: {
      name: 'items',
      columns: [
        ...of('text', 'id'),
        ...orNone(of('text', 'productId variantId')),
        ...of('text', 'title'),
        ...orNone(of('text', 'variantLabel sku')),
        ...of('text', 'kind'),
        ...of('integer', 'quantity'),
        ...of('money', 'unitPrice subtotal'),
      ],
    },
  },
  products: {
    list: 'products',
    object: 'product',
    columns: [
      ...of('text', 'title slug'),
      ...orNone(of('text', 'description')),
      ...of('text', 'kind'),
      ...of('list', 'tags'),
      ...orNone(of('text', 'sku')),
      ...of('money', 'price'),
      { name: 'currency', path: ['price', 'currency'], type: 'currency', isNullable: false },
      ...orNone(of('money', 'compareAt')),
      ...of('boolean', 'trackInventory'),
      ...orNone(of('integer', 'stock')),
      ...of('shown', 'inStock'),
      ...of('boolean', 'continueSelling soldOut isPublished isFeatured'),
      ...orNone(of('integer', 'booking.durationMinutes')),
      ...orNone(of('text', 'booking.serviceMode')),
      ...orNone(of('integer', 'booking.leadHours')),
      ...orNone(of('instant', 'event.startsAt')),
      ...orNone(of('text', 'membership.interval')),
      ...orNone(of('integer', 'membership.trialDays')),
      ...of('instant', 'createdAt'),
      ...of('shown', 'updatedAt'),
    ],
    children: {
      name: 'variants',
      columns: [
        ...of('text', 'id'),
        ...orNone(of('text', 'sku')),
        ...of('pairs', 'options'),
        ...of('money', 'price'),
        ...of('boolean', 'inheritsPrice'),
        ...orNone(of('integer', 'stock')),
        ...of('shown', 'isAvailable'),
        ...of('boolean', 'continueSelling soldOut'),
      ],
    },
  },
  contacts: {
    list: 'contacts',
    object: 'contact',
    columns: [
      ...orNone(of('text', 'name email phone')),
      ...of('list', 'tags'),
      ...of('text', 'source'),
      ...orNone(of('instant', 'marketingConsentAt')),
      ...address,
      ...orNone(of('text', 'privateNote')),
      ...of('instant', 'createdAt'),
      ...of('shown', 'updatedAt'),
    ],
    children: {
      name: 'consents',
      columns: [
        ...of('text', 'kind'),
        ...of('instant', 'at'),
        ...orNone(of('text', 'email address agent textVersion')),
        ...of('text', 'source'),
      ],
    },
  },
  subscriptions: {
    list: 'subscriptions',
    object: 'subscription',
    columns: [
      ...of('text', 'status productId clientId'),
      ...of('money', 'price'),
      ...of('currency', 'currency'),
      ...of('text', 'interval billingMode'),
      ...orNone(of('text', 'paymentMethod')),
      ...orNone(of('instant', 'anchorAt')),
      ...of('integer', 'periods'),
      ...orNone(of('instant', 'currentPeriodEnd')),
      ...of('boolean', 'cancelAtPeriodEnd'),
      ...orNone(of('instant', 'canceledAt trialEndsAt startedAt')),
      ...of('instant', 'createdAt'),
      ...of('shown', 'updatedAt'),
    ],
    children: null,
  },
}

/** The name of a child's column in a file. */
export function childColumn(children: { name: string }, { name }: Pick<Column, 'name'>): string {
  return `${children.name}.${name}`
}

/** Whether the role support does not see the field: such a column says nothing in an export of that role. */
export function isPersonal({ object }: ObjectTable, name: string): boolean {
  return (personalFields[object] ?? []).some((path) => name === path || name.startsWith(`${path}.`))
}

function of(type: CellType, names: string): Column[] {
  return names.split(' ').map((name) => ({ name, path: name.split('.'), type, isNullable: false }))
}

function orNone(columns: Column[]): Column[] {
  return columns.map((column) => ({ ...column, isNullable: true }))
}

function textsOrNone(parent: string, names: string): Column[] {
  return orNone(of('text', names.replaceAll(/\S+/g, `${parent}.$&`)))
}
