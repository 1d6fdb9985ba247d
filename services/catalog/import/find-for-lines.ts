// Finds the product and variant of each line of an imported order. docs/spec/imports.md#shopify-orders
// By the SKU where one product or variant has it, else by the title. The longest title before a ` - ` wins, because titles
// contain ` - ` themselves.
import { limits } from '#contracts/limits'
import type { FoundForLines } from '#contracts/actions/products'
import { isStorable } from '#contracts/input/text'
import type { Sql } from '#postgres/connect'
import { listVariants } from '../products/queries.ts'
import { optionsLabel } from '../products/variants.ts'
import { findBySkus, findByTitles, type FoundByTitle } from './queries.ts'

const SEPARATOR = ' - '

export type LineText = { sku: string | null; text: string }
type Found = FoundForLines['lines'][number]
type Split = { title: string; label: string | null }

/** One result for each line, in their order; where nothing is found, the text is the title. */
export async function findForLines(db: Sql, shopId: string, lines: LineText[]): Promise<FoundForLines> {
  const skus = distinct(lines.flatMap(({ sku }) => (sku === null || !isStorable(sku) ? [] : [sku])))
  const titles = distinct(lines.flatMap(({ text }) => splits(text).map(({ title }) => title)))
  const bySku = new Map((await findBySkus(db, shopId, skus)).map((found) => [found.sku, found]))
  const byTitle = new Map((await findByTitles(db, shopId, titles)).map((found) => [found.title, found]))
  const chosen = lines.map(({ text }) => splits(text).find(({ title }) => byTitle.has(title)) ?? whole(text))
  const variantOf = await variantsByLabel(db, shopId, chosen, byTitle)
  return {
    lines: lines.map(({ sku }, index): Found => {
      const { title, label } = chosen[index] as Split
      const named = { title, variant_label: label }
      const one = bySku.get(sku ?? '')
      if (one !== undefined) return { ...named, product_id: one.product_id, variant_id: one.variant_id, kind: one.kind }
      const product = byTitle.get(title)
      if (product?.count !== 1) return { ...named, product_id: null, variant_id: null, kind: null }
      const { product_id, kind } = product
      return { ...named, product_id, variant_id: variantOf(product_id, label), kind }
    }),
  }
}

// Every way to read the text as title and label, the longest title first.
function splits(text: string): Split[] {
  const found: Split[] = [whole(text)]
  for (let at = text.lastIndexOf(SEPARATOR); at > 0; at = text.lastIndexOf(SEPARATOR, at - 1)) {
    const label = text.slice(at + SEPARATOR.length).trim()
    found.push({ title: text.slice(0, at), label: label === '' ? null : label })
  }
  return found.filter(({ title }) => title.length <= limits.titleLengthMax && isStorable(title))
}

function whole(text: string): Split {
  return { title: text, label: null }
}

// Finds the variant of a product by its label as Shopify writes it: the values in their order, joined by ` / `.
async function variantsByLabel(db: Sql, shopId: string, chosen: Split[], byTitle: Map<string, FoundByTitle>) {
  const products = chosen.flatMap(({ title, label }) => {
    const product = byTitle.get(title)
    return label === null || product?.count !== 1 ? [] : [product.product_id]
  })
  const variants = products.length === 0 ? [] : await listVariants(db, shopId, distinct(products))
  const ids = new Map(variants.map(({ id, product_id, options }) => [`${product_id} ${optionsLabel(options)}`, id]))
  return (productId: string, label: string | null) =>
    label === null ? null : (ids.get(`${productId} ${label}`) ?? null)
}

function distinct(texts: string[]): string[] {
  return [...new Set(texts)]
}
