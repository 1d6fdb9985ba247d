// Exports products with what only the seller knows, and imports such products. docs/spec/imports.md#our-own-files
import type { ActionParams } from '#contracts/actions'
import { productFields } from '#contracts/input/exported'
import { type PageRequest, toPage } from '#paging/page'
import type { Database, Sql } from '#postgres/connect'
import { listReferences } from '#postgres/import/external-reference'
import { exportSource, importObjects, type ObjectImport, resolveIds } from '#postgres/import/import-objects'
import { openParams } from '#schema/open'
import {
  isSlugTaken,
  type ListFilter,
  listExistingIds,
  listProductRows,
  listProductsToExport,
} from '../products/queries.ts'
import { insertUnderFreeSlug, lockProducts, saveProduct, withVariants } from '../products/store.ts'
import { toExportedProduct } from '../shape.ts'
import type { StoredProduct } from '../tables.ts'
import { planProduct, type ProductPlan } from './exported-product.ts'
import { setVariantReferences } from './queries.ts'

type Shop = { shopId: string; currency: string }

/** A page of products with their variants, each with the columns that the API does not show. */
export async function exportProducts(
  db: Database,
  shopId: string,
  filter: ListFilter,
  page: PageRequest,
): Promise<Buffer> {
  const stored = await withVariants(db, shopId, await listProductsToExport(db, shopId, filter, page))
  const rows = stored.map((one) => ({
    document: JSON.stringify(toExportedProduct(one)),
    created_at: one.product.created_at,
    id: one.product.id,
  }))
  return toPage(rows, page)
}

export function importExportedProducts(
  db: Database,
  batch: ActionParams<'products.import_objects'>,
  shop: Shop,
  now: Date,
) {
  return importObjects(db, shop.shopId, batch, productImport(shop), now)
}

/** The products and variants of this shop by ids of another shop or of this one. */
export function resolveProducts(db: Database, shopId: string, ids: string[]) {
  const listExisting = (some: string[]) => listExistingIds(db, shopId, some)
  return resolveIds(db, shopId, ids, { kinds: ['product', 'variant'], listExisting })
}

function productImport(shop: Shop): ObjectImport<StoredProduct, ProductPlan> {
  const { shopId } = shop
  return {
    kind: 'product',
    async load(sql, ids, isLocked) {
      if (isLocked) return lockProducts(sql, shopId, ids)
      const stored = await withVariants(sql, shopId, await listProductRows(sql, shopId, ids))
      return new Map(stored.map((one) => [one.product.id, one]))
    },
    async plan(sql, before, { fields }, facts) {
      const opened = openParams(productFields, fields)
      const isOtherSlug = before !== null && opened.slug !== undefined && opened.slug !== before.product.slug
      const isSlugFree = !(isOtherSlug && (await isSlugTaken(sql, shopId, opened.slug ?? '')))
      const variantIds = await findVariantIds(sql, shopId, before, opened.variants ?? [])
      return planProduct(before, opened, shop, { variantIds, isSlugFree }, facts)
    },
    async write(tx, before, { after, variantKeys }, { now }) {
      if (before === null) await insertUnderFreeSlug(tx, shopId, after)
      else await saveProduct(tx, shopId, before, after, now)
      if (variantKeys.length > 0) {
        const keys = variantKeys.map(([key]) => key)
        await setVariantReferences(
          tx,
          shopId,
          exportSource,
          keys,
          variantKeys.map(([, id]) => id),
        )
      }
      return after.product.id
    },
  }
}

/** The ids that earlier imports gave to the variants of the file, by their ids there. */
async function findVariantIds(
  sql: Sql,
  shopId: string,
  before: StoredProduct | null,
  variants: { id?: string | undefined }[],
) {
  const own = new Set(before?.variants.map(({ id }) => id))
  const keys = variants.flatMap(({ id }) => (id === undefined || own.has(id.toLowerCase()) ? [] : [id.toLowerCase()]))
  if (before === null || keys.length === 0) return new Map<string, string>()
  const rows = await listReferences(sql, shopId, { source: exportSource, kind: 'variant', keys })
  return new Map(rows.map(({ key, object_id }) => [key, object_id]))
}
