// Owns what the lines of an imported order mean in the catalogue: the product and variant, the title and what is the label.
// import-formats.md, section 3, rows "Lineitem name" and "Lineitem sku": the one variant (or product) with that SKU; none
// or several: by title. The longest title before some ` - ` wins, because titles contain ` - ` themselves.
import { limits } from '#contracts/limits'
import type { FoundForLines } from '#contracts/actions/products'
import { isStorable } from '#contracts/input/text'
import type { Sql } from '#postgres/connect'
import { findBySkus, findByTitles, type FoundByTitle } from './line-queries.ts'
import { optionsLabel } from '../products/options.ts'
import { listVariants } from '../queries.ts'

export type LineText = { sku: string | null; text: string }
type Found = FoundForLines['lines'][number]
type Split = { title: string; label: string | null }

/** What is found for each line, in their order; where nothing is, the text is the title. */
export async function findForLines(db: Sql, shopId: string, lines: LineText[]): Promise<FoundForLines> {
  const skus = distinct(lines.flatMap(({ sku }) => (sku === null || !isStorable(sku) ? [] : [sku])))
  const titles = distinct(lines.flatMap(({ text }) => splits(text).map(({ title }) => title)))
  const bySku = new Map((await findBySkus(db, shopId, skus)).map((found) => [found.sku, found]))
  const byTitle = new Map((await findByTitles(db, shopId, titles)).map((found) => [found.title, found]))
  const chosen = lines.map(({ text }) => splits(text).find(({ title }) => byTitle.has(title)) ?? whole(text))
  const variantOf = await labelled(db, chosen, byTitle)
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

/** Every way to read the text as title and label, the longest title first. */
function splits(text: string): Split[] {
  const found: Split[] = [whole(text)]
  for (let at = text.lastIndexOf(separator); at > 0; at = text.lastIndexOf(separator, at - 1)) {
    const label = text.slice(at + separator.length).trim()
    found.push({ title: text.slice(0, at), label: label === '' ? null : label })
  }
  return found.filter(({ title }) => title.length <= limits.titleLengthMax && isStorable(title))
}

const separator = ' - '

function whole(text: string): Split {
  return { title: text, label: null }
}

/** Finds the variant of a product by its label, as Shopify writes it: the values in their order, joined by ` / `. */
async function labelled(db: Sql, chosen: Split[], byTitle: Map<string, FoundByTitle>) {
  const products = chosen.flatMap(({ title, label }) => {
    const product = byTitle.get(title)
    return label === null || product?.count !== 1 ? [] : [product.product_id]
  })
  const variants = products.length === 0 ? [] : await listVariants(db, distinct(products))
  const ids = new Map(variants.map(({ id, product_id, options }) => [`${product_id} ${optionsLabel(options)}`, id]))
  return (productId: string, label: string | null) =>
    label === null ? null : (ids.get(`${productId} ${label}`) ?? null)
}

function distinct(texts: string[]): string[] {
  return [...new Set(texts)]
}
