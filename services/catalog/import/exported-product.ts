// What a product of an export becomes, as a pure function. docs/spec/imports.md#our-own-files
import type { ProductFields } from '#contracts/input/exported'
import type { ProductChange, VariantInput } from '#contracts/input/product'
import { limits } from '#contracts/limits'
import { type Facts, importProblem, type Plan, type Warning } from '#postgres/import/import-objects'
import { changedProduct, newProduct } from '../products/change.ts'
import { slugOfFile } from '../products/slug.ts'
import { optionsDigest } from '../products/variants.ts'
import { documentsOf } from '../shape.ts'
import type { StoredProduct, VariantRow } from '../tables.ts'

/** `variantKeys`: ids of the file with the ids of the variants that stand for them. */
export type ProductPlan = Plan & { after: StoredProduct; variantKeys: [key: string, id: string][] }
type Shop = { shopId: string; currency: string }
/** `variantIds`: ids of variants by those of the file, of earlier imports. `isSlugFree`: no other product has the slug of the file. */
export type Known = { variantIds: ReadonlyMap<string, string>; isSlugFree: boolean }

/** Refuses invalid_request; `problem` of the refusal is the code for the import report. */
export function planProduct(
  before: StoredProduct | null,
  fields: ProductFields,
  shop: Shop,
  known: Known,
  facts: Facts,
): ProductPlan {
  const warnings: Warning[] = []
  const { inFile, all } = variantsOf(before?.variants ?? [], fields, known.variantIds)
  const change = changeOf(before, fields, all)
  const changed = withFlags(
    before === null ? created(fields, change, shop, facts) : changedProduct(before, change),
    fields,
  )
  if (fields.slug !== undefined && before !== null && fields.slug !== before.product.slug) {
    if (known.isSlugFree) changed.product.slug = slugOfFile(fields.slug, changed.product.title)
    else
      warnings.push({
        code: 'slug_taken',
        message: 'Another product has the slug of the file; the slug stays as it is.',
      })
  }
  if (
    before !== null &&
    fields.createdAt !== undefined &&
    fields.createdAt.getTime() !== before.product.created_at.getTime()
  ) {
    warnings.push({ code: 'created_at_stays', message: 'createdAt of an object that is here stays as it is.' })
  }
  const variantKeys = inFile.flatMap(({ id }, index): [string, string][] => {
    const variant = changed.variants[index]
    return id === undefined || variant === undefined || variant.id === id ? [] : [[id, variant.id]]
  })
  return { isSame: before !== null && isSame(before, changed), warnings, after: changed, variantKeys }
}

function created(fields: ProductFields, change: ProductChange, shop: Shop, { id, now }: Facts): StoredProduct {
  const { title, price } = change
  if (title === undefined || price === undefined) {
    throw importProblem('missing_field', `A new product needs ${title === undefined ? 'title' : 'price'}.`)
  }
  const slug = slugOfFile(fields.slug ?? '', title)
  const input = { ...change, title, price, createdAt: fields.createdAt }
  return newProduct(input, { ...shop, id, slug, now })
}

function changeOf(
  before: StoredProduct | null,
  fields: ProductFields,
  variants: VariantInput[] | undefined,
): ProductChange {
  const { title, description, kind, tags, price, compareAt, trackInventory, stock, isPublished, isFeatured } = fields
  const isTracked = trackInventory ?? before?.product.track_inventory ?? false
  return {
    title,
    description,
    kind,
    tags,
    price: price === undefined ? undefined : { cents: price },
    compareAt: typeof compareAt === 'number' ? { cents: compareAt } : compareAt,
    trackInventory,
    // Of a product with variants it is the sum of theirs.
    stock: isTracked && (variants ?? []).length > 0 ? undefined : stock,
    isPublished,
    isFeatured,
    ...ofKind(fields),
    variants,
  }
}

/** A part whose fields are all empty is not sent: the kind decides whether it is there. */
function ofKind(fields: ProductFields): Pick<ProductChange, 'booking' | 'event' | 'membership'> {
  const booking = {
    durationMinutes: fields['booking.durationMinutes'],
    serviceMode: fields['booking.serviceMode'],
    leadHours: fields['booking.leadHours'],
  }
  const event = { startsAt: fields['event.startsAt'] }
  const membership = { interval: fields['membership.interval'], trialDays: fields['membership.trialDays'] }
  const kind = fields.kind
  const isSent = (part: object, of: string) =>
    kind === of
      ? Object.values(part).some((value) => value !== undefined)
      : Object.values(part).some((value) => value !== undefined && value !== null)
  return {
    booking: isSent(booking, 'service') ? booking : undefined,
    event: isSent(event, 'event') ? event : undefined,
    membership: isSent(membership, 'membership') ? membership : undefined,
  }
}

/**
 * `inFile`: the variants of the file, in its order. `all`: these, each under the id of the stored one that it is, then the stored ones
 * that the file does not name, as they are; undefined where the file has no variants.
 */
function variantsOf(before: VariantRow[], { variants }: ProductFields, known: Known['variantIds']) {
  if (variants === undefined) return { inFile: [], all: undefined }
  const byId = new Map(before.map((variant) => [variant.id, variant]))
  const byOptions = new Map(before.map(({ id, options_digest }) => [options_digest, id]))
  const all = variants.map(({ id, sku, options, price, inheritsPrice, stock }): VariantInput => {
    const given = id?.toLowerCase() ?? ''
    const named = [given, known.get(given) ?? ''].find((one) => byId.has(one))
    const found = named ?? (options === undefined ? undefined : byOptions.get(optionsDigest(options)))
    const money = price === undefined ? undefined : { cents: price }
    return { id: found, sku, options, price: inheritsPrice === true ? null : money, stock }
  })
  const taken = new Set(all.map(({ id }) => id))
  const others = before.filter(({ id }) => !taken.has(id)).map(({ id }) => ({ id }))
  if (all.length + others.length > limits.variantsMax) {
    throw importProblem('too_many_variants', `variants must have at most ${limits.variantsMax} entries.`)
  }
  return { inFile: variants.map(({ id }) => ({ id: id?.toLowerCase() })), all: [...all, ...others] }
}

/** The columns that only imports set. */
function withFlags({ product, variants }: StoredProduct, fields: ProductFields): StoredProduct {
  return {
    product: {
      ...product,
      sku: fields.sku === undefined ? product.sku : fields.sku,
      continue_selling: fields.continueSelling ?? product.continue_selling,
      sold_out: fields.soldOut ?? product.sold_out,
    },
    variants: variants.map((variant, index) => {
      const { continueSelling, soldOut } = fields.variants?.[index] ?? {}
      return {
        ...variant,
        continue_selling: continueSelling ?? variant.continue_selling,
        sold_out: soldOut ?? variant.sold_out,
      }
    }),
  }
}

function isSame(before: StoredProduct, after: StoredProduct): boolean {
  if (documentsOf(before).document !== documentsOf(after).document) return false
  return (
    sorted(before.product) === sorted(after.product) &&
    before.variants.map(sorted).join() === after.variants.map(sorted).join()
  )
}

function sorted(row: object): string {
  return JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))
}
