// The actions of products. docs/spec/rest-api.md#list-products, docs/spec/back-office.md#products
import { command, type Done } from '#audit/command'
import type { ActionHandlers, RequestInfo, ServiceContext } from '#runtime/service'
import { deriveKeys } from '#config/derive-key'
import { isUuid } from '#contracts/actions/params'
import { openBoundedPages } from '#paging/bounded-pages'
import { readsFor } from '#paging/list'
import { filterText, openPage, toSingle } from '#paging/page'
import { stampsPage } from '#paging/stamps'
import type { Database, Sql } from '#postgres/connect'
import { listPageVersions } from '#postgres/page-version'
import { toDeletedProduct } from '../shape.ts'
import { exportProducts } from '../import/exported-products.ts'
import { findProductDocument, listProducts } from './queries.ts'
import { changeProduct, createProduct, noProduct, removeProduct } from './save.ts'

/** `onDeleted` follows the commit of a deletion. */
export function productActions(context: ServiceContext, db: Database, onDeleted: () => void): ActionHandlers {
  const cursorKeys = deriveKeys(context.settings, 'cursor')
  const pages = openBoundedPages(db.reads)
  const answerOnce = (request: RequestInfo, work: (tx: Sql, stamp: Date) => Promise<Done>) =>
    db.change(request.caller.shopId, (tx, stamp) => command(tx, request, () => work(tx, stamp)))
  return {
    'products.versions': ({ params }) => listPageVersions(db.reads, params.shop_ids),
    async 'products.list'({ params: { limit, cursor, ...filter }, locals }) {
      const { shopId } = locals.caller
      const scope = { keys: cursorKeys, resource: 'products', shopId, filter: filterText(filter) }
      const page = openPage({ limit, cursor }, scope, locals.meta)
      return pages(filter, page, (bounded) => listProducts(readsFor(page, db), shopId, filter, bounded))
    },
    async 'products.export'({ params: { limit, cursor, ...filter }, locals }) {
      const { shopId } = locals.caller
      const scope = { keys: cursorKeys, resource: 'exported products', shopId, filter: filterText(filter) }
      return exportProducts(db, shopId, filter, openPage({ limit, cursor }, scope))
    },
    'products.stamps': ({ params, locals: { caller } }) =>
      stampsPage(db, { table: 'products', shopId: caller.shopId, keys: cursorKeys }, params),
    async 'products.get'({ params: { id }, locals }) {
      const document = isUuid(id) ? await findProductDocument(db.reads, locals.caller.shopId, id) : null
      if (document === null) throw noProduct()
      return toSingle(document)
    },
    async 'products.create'({ params, locals }) {
      return answerOnce(locals, async (tx, now) => ({
        before: null,
        after: await createProduct(tx, locals.caller, params.product, now),
      }))
    },
    async 'products.change'({ params, locals }) {
      const id = readId(params.id)
      return answerOnce(locals, (tx, now) => changeProduct(tx, locals.caller.shopId, id, params.product, now))
    },
    async 'products.delete'({ params, locals }) {
      const id = readId(params.id)
      const answer = await answerOnce(locals, async (tx, now) => {
        const before = await removeProduct(tx, locals.caller.shopId, id, now)
        return { before, after: null, answer: toSingle(JSON.stringify(toDeletedProduct(id))) }
      })
      onDeleted()
      return answer
    },
  }
}

function readId(text: string): string {
  if (!isUuid(text)) throw noProduct()
  return text.toLowerCase()
}
