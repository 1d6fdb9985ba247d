// The list of products: its filters, columns, bulk actions, exports, and the same list elsewhere.
import type { BackOffice } from '../../../../clients/typescript/src/client.ts'
import { api } from '../../frame/session.ts'
import type { BulkAction } from '../../parts/list/bulk-bar.tsx'
import { ndjson, objectsCsv } from '../../parts/list/export-menu.tsx'
import type { Filter } from '../../parts/list/filters.ts'
import type { ListConfig } from '../../parts/list/list.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { asCommand, asCurl, asMcp } from '../../parts/list/ways.ts'
import { moneyWords } from '../../parts/money.ts'
import { Status } from '../../parts/status.tsx'
import { When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { type Product, statusOf, stockWords } from './product.ts'

type ProductQuery = NonNullable<Parameters<BackOffice['products']['list']>[1]>

const filters: readonly Filter[] = [
  { kind: 'choice', name: 'kind', values: ['physical', 'digital', 'service', 'event', 'membership'] },
  { kind: 'one', name: 'published', options: new Map(['true', 'false'].map((one) => [one, one])) },
  { kind: 'time', name: 'created_after' },
  { kind: 'time', name: 'created_before' },
  { kind: 'time', name: 'updated_after' },
  { kind: 'time', name: 'updated_before' },
]

const { columns: text } = words.products

/** Below the path of the list: the form of a new product. */
export const NEW = 'new'

export function productsList({ handle, timeZone: zone }: Shop, mayChange: boolean): ListConfig<Product> {
  const create = mayChange ? (
    <a class="button" href={`/s/${handle}/products/${NEW}`}>
      {words.forms.product.new}
    </a>
  ) : null
  const apiPath = `/shops/${handle}/products`
  return {
    name: 'products',
    title: words.screens.products,
    path: `/s/${handle}/products`,
    zone,
    filters,
    columns: columnsOf(zone),
    idOf: ({ id }) => id,
    timeOf: ({ createdAt }) => createdAt,
    list: (query, signal) => api.products.list(handle, query as ProductQuery, { signal }),
    actions: mayChange ? [publishing(handle, true), publishing(handle, false)] : [],
    exports: [objectsCsv('products'), ndjson],
    exported: (query, signal) => api.products.export(handle, query as ProductQuery, { signal }),
    ways({ published, ...query }) {
      const flag = published === 'true' ? 'published' : 'no-published'
      const options: Record<string, string | true> = published === undefined ? query : { ...query, [flag]: true }
      const args = published === undefined ? query : { ...query, published: published === 'true' }
      const asked: Record<string, string> = published === undefined ? query : { ...query, published }
      return [
        asCurl(location.origin, { method: 'GET', path: apiPath, query: asked }),
        asCommand('products list', handle, options),
        asMcp('list_products', args),
      ]
    },
    curlOf: (id) => asCurl(location.origin, { method: 'GET', path: `${apiPath}/${id}` }).text,
    empty: { sentence: mayChange ? words.products.empty : words.products.emptyToRead, action: create },
    buttons: create,
  }
}

function columnsOf(zone: string): readonly Column<Product>[] {
  return [
    { label: text.title, cell: ({ title }) => title },
    { label: text.kind, cell: ({ kind }) => kind, isExtra: true },
    { label: text.status, cell: (product) => <Status {...statusOf(product)} /> },
    { label: text.stock, cell: ({ stock }) => stockWords(stock), isNumber: true, isExtra: true },
    { label: text.price, cell: ({ price }) => moneyWords(price), isNumber: true },
    {
      label: text.added,
      cell: ({ createdAt }) => createdAt !== null && <When at={createdAt} zone={zone} />,
      isNumber: true,
    },
  ]
}

function publishing(shop: string, isPublished: boolean): BulkAction<Product> {
  return {
    name: isPublished ? 'publish' : 'unpublish',
    label: isPublished ? words.products.publish : words.products.unpublish,
    done: isPublished ? words.products.bulkPublished : words.products.bulkUnpublished,
    run: (id) => api.products.change(shop, id, { isPublished }),
    isFor: (product) => product.isPublished !== isPublished,
  }
}
