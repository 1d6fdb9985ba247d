// The product as the back office may send it, and the product of an import file: docs/spec/back-office.md#products,
// docs/spec/imports.md. The service checks fields against each other, such as a stock that is not tracked.
import { z } from 'zod'
import { limits } from '../limits.ts'
import { productKinds, serviceModes } from '../objects/order.ts'
import { membershipIntervals } from '../objects/product.ts'
import { cents, moneyInput, readOnly, storedInstant } from './fields.ts'
import { orBlank, visiblePattern, withRule } from './rule.ts'
import { isStorable, normalTag, optionalText, storableText, trimInvisible, unstorable } from './text.ts'

/** Whether the text can stand in a path as it is: letters of any script in lower case, digits, `-`, `_`, `.`, `~`. */
export function isSlug(text: string): boolean {
  const isNormal = text === text.normalize('NFC') && text === text.toLowerCase()
  return isNormal && text.length <= limits.wordLengthMax && /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._~-]*$/u.test(text)
}

const slugWords = 'must be lowercase letters, digits and hyphens, for example blue-mug'
const visibleWords = 'must hold at least one visible character'
const isBlank = (text: string) => trimInvisible(text) === ''

export const productTitle = withRule(
  storableText(limits.titleLengthMax),
  (text) => !isBlank(text),
  { error: visibleWords },
  { pattern: visiblePattern },
)
// No ASCII but a-z, 0-9 and, behind the first character, `-._~`.
const slugPattern = '[^\\x00-/:-`{-\\x7f][^\\x00-,/:-^`{-}\\x7f]*'
const slug = withRule(
  z.string(),
  isSlug,
  { error: slugWords },
  { maxLength: limits.wordLengthMax, pattern: `^${slugPattern}$` },
)
const slugOrNone = withRule(
  z.string().transform((text) => (isBlank(text) ? null : text)),
  (text) => text === null || isSlug(text),
  { error: slugWords },
  { maxLength: limits.wordLengthMax, pattern: orBlank(slugPattern) },
).nullable()
const sku = optionalText(limits.wordLengthMax)
const description = optionalText(limits.descriptionLengthMax)
export const productStock = z.int().min(0).max(limits.stockMax)

const tag = withRule(
  z.string().refine(isStorable, { error: unstorable, abort: true }).transform(normalTag),
  (text) => text.length <= limits.wordLengthMax,
  { error: `must be at most ${limits.wordLengthMax} characters long` },
  { maxLength: limits.wordLengthMax },
)
const visibleTag = withRule(tag, (text) => text !== '', { error: visibleWords }, { pattern: visiblePattern })
const tags = z.array(visibleTag).max(limits.tagsPerProduct)
const distinct = (texts: string[]) => [...new Set(texts)]
export const productTags = tags.transform(distinct)

const optionWord = { type: 'string', minLength: 1, maxLength: limits.wordLengthMax, pattern: visiblePattern }
export const productOptions = z
  .unknown()
  .meta({
    type: 'object',
    maxProperties: limits.optionsPerVariant,
    propertyNames: optionWord,
    additionalProperties: optionWord,
  })
  .transform((given, context) => {
    if (typeof given === 'object' && given !== null && !Array.isArray(given))
      return toOptions(Object.entries(given), context)
    context.addIssue({ code: 'custom', message: 'must be an object of option names and values' })
    return z.NEVER
  })

const variantInput = z.strictObject({
  id: z.string().nullable().optional(),
  sku,
  options: productOptions.optional(),
  price: moneyInput.nullable().optional(),
  stock: productStock.nullable().optional(),
  isAvailable: readOnly,
})

const booking = z.strictObject({
  durationMinutes: z.int().min(1).max(limits.appointmentMinutesMax).nullable().optional(),
  serviceMode: z.enum(serviceModes).nullable().optional(),
  leadHours: z.int().min(0).max(limits.leadHoursMax).nullable().optional(),
})
const event = z.strictObject({ startsAt: storedInstant.nullable().optional() })
const membership = z.strictObject({
  interval: z.enum(membershipIntervals).nullable().optional(),
  trialDays: z.int().min(0).max(limits.trialDaysMax).nullable().optional(),
})

const changeable = {
  title: productTitle.optional(),
  slug: slug.optional(),
  description,
  kind: z.enum(productKinds).optional(),
  tags: productTags.optional(),
  price: moneyInput.optional(),
  compareAt: moneyInput.nullable().optional(),
  trackInventory: z.boolean().optional(),
  stock: productStock.nullable().optional(),
  isPublished: z.boolean().optional(),
  isFeatured: z.boolean().optional(),
  booking: booking.nullable().optional(),
  event: event.nullable().optional(),
  membership: membership.nullable().optional(),
  variants: z.array(variantInput).max(limits.variantsMax).optional(),
}
const readOnlyFields = { id: readOnly, object: readOnly, inStock: readOnly, updatedAt: readOnly }

/** An absent field stays as it is; null or blank empties it. */
export const productChange = z.strictObject({ ...changeable, ...readOnlyFields, createdAt: readOnly })

/** A new product: title and price are required, a slug is made when none is given. */
export const productInput = z.strictObject({
  ...changeable,
  ...readOnlyFields,
  title: productTitle,
  price: moneyInput,
  slug: slugOrNone.optional(),
  createdAt: storedInstant.nullable().optional(),
})

const optionPairs = z.array(z.tuple([z.string(), z.string()])).transform(toOptions)

const importedVariant = z.object({
  key: z.string(),
  sku,
  options: optionPairs,
  price_cents: cents,
  stock: productStock.nullable(),
  continue_selling: z.boolean(),
  sold_out: z.boolean().default(false),
})

/** A product of a file. `stock` null: not tracked. The service makes a valid slug of any text. */
export const importedProduct = z.object({
  slug: z.string(),
  title: productTitle,
  description,
  kind: z.enum(productKinds),
  tags: z
    .array(tag)
    .transform((texts) => distinct(texts).filter((text) => text !== ''))
    .refine((texts) => texts.length <= limits.tagsPerProduct, {
      error: `must have at most ${limits.tagsPerProduct} entries`,
    }),
  sku,
  price_cents: cents,
  compare_at_cents: cents.nullable(),
  track_inventory: z.boolean(),
  stock: productStock.nullable(),
  continue_selling: z.boolean(),
  sold_out: z.boolean().default(false),
  is_published: z.boolean(),
  is_featured: z.boolean(),
  variants: z.array(importedVariant).max(limits.variantsMax),
  created_at: storedInstant.nullable(),
})

export type MoneyInput = z.output<typeof moneyInput>
export type VariantInput = z.output<typeof variantInput>
export type ProductChange = z.output<typeof productChange>
export type ProductInput = z.output<typeof productInput>
export type ImportedProductInput = z.output<typeof importedProduct>

// Option names become keys of an object, so the one that would set its prototype is refused.
function toOptions(pairs: [string, unknown][], context: z.RefinementCtx): Record<string, string> {
  const problem = optionProblem(pairs)
  if (problem !== null) context.addIssue({ code: 'custom', message: problem })
  return Object.fromEntries(pairs) as Record<string, string>
}

function optionProblem(pairs: [string, unknown][]): string | null {
  if (pairs.length > limits.optionsPerVariant) return `must have at most ${limits.optionsPerVariant} options`
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) return 'must not have an option twice'
  for (const [name, value] of pairs) {
    if (name === '__proto__') return 'must not have an option named __proto__'
    if (!isOptionWord(name)) return `must have option names of 1 to ${limits.wordLengthMax} characters`
    if (!isOptionWord(value)) return `must have values of 1 to ${limits.wordLengthMax} characters`
  }
  return null
}

function isOptionWord(word: unknown): word is string {
  return typeof word === 'string' && word.length <= limits.wordLengthMax && isStorable(word) && !isBlank(word)
}
