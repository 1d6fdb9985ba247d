// A product as the form holds it, and the body that the API gets of it. Pure.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import { type Body, changesOf, linesOf, numberOrNull, textOrNull } from '../../parts/fields/changes.ts'
import { centsOf, type Money } from '../../parts/money.ts'
import { instantOfLocal, localOfInstant } from '../../parts/time.ts'

type Product = BackOfficeSchemas['Product']
export const kinds = ['physical', 'digital', 'service', 'event', 'membership'] as const
export type Kind = (typeof kinds)[number]
export type TypedVariant = {
  /** Null of a new one. */
  id: string | null
  /** By the place of the option. */
  values: readonly string[]
  sku: string
  /** Blank: that of the product. */
  price: string
  stock: string
}
export type TypedProduct = {
  title: string
  slug: string
  kind: Kind
  price: string
  compareAt: string
  description: string
  tags: string
  isPublished: boolean
  isFeatured: boolean
  trackInventory: boolean
  stock: string
  durationMinutes: string
  serviceMode: '' | 'in_person' | 'online'
  leadHours: string
  startsAt: string
  interval: 'month' | 'year'
  trialDays: string
  /** Names of the options, such as size and colour, in the order of the values of a variant. */
  options: readonly string[]
  variants: readonly TypedVariant[]
}

export const newProduct: TypedProduct = {
  title: '',
  slug: '',
  kind: 'physical',
  price: '',
  compareAt: '',
  description: '',
  tags: '',
  isPublished: true,
  isFeatured: false,
  trackInventory: false,
  stock: '',
  durationMinutes: '',
  serviceMode: '',
  leadHours: '',
  startsAt: '',
  interval: 'month',
  trialDays: '',
  options: [],
  variants: [],
}

/** `zone` is the shop's. */
export function typedOf(product: Product, zone: string): TypedProduct {
  const { booking, event, membership, variants } = product
  const options = [...new Set(variants.flatMap((variant) => Object.keys(variant.options)))]
  const isPriceOwn = (price: Money) => price.cents !== product.price.cents
  return {
    title: product.title,
    slug: product.slug,
    kind: kinds.find((kind) => kind === product.kind) ?? 'physical',
    price: product.price.amount,
    compareAt: product.compareAt?.amount ?? '',
    description: product.description ?? '',
    tags: product.tags.join('\n'),
    isPublished: product.isPublished,
    isFeatured: product.isFeatured,
    trackInventory: product.trackInventory,
    stock: variants.length === 0 ? textOf(product.stock) : '',
    durationMinutes: textOf(booking?.durationMinutes),
    serviceMode: (['in_person', 'online'] as const).find((mode) => mode === booking?.serviceMode) ?? '',
    leadHours: textOf(booking?.leadHours),
    startsAt: typeof event?.startsAt === 'string' ? localOfInstant(new Date(event.startsAt), zone) : '',
    interval: membership?.interval === 'year' ? 'year' : 'month',
    trialDays: textOf(membership?.trialDays),
    options,
    variants: variants.map((variant) => ({
      id: variant.id,
      values: options.map((name) => variant.options[name] ?? ''),
      sku: variant.sku ?? '',
      price: isPriceOwn(variant.price) ? variant.price.amount : '',
      stock: textOf(variant.stock),
    })),
  }
}

/** The whole body. `like`: money of the shop. */
export function bodyOf(typed: TypedProduct, zone: string, like: Money): Body {
  const { kind, trackInventory, variants } = typed
  const money = (text: string) => ({ cents: centsOf(text, like) ?? text.trim() })
  const body: Body = {
    title: typed.title,
    slug: textOrNull(typed.slug),
    kind,
    price: money(typed.price),
    compareAt: typed.compareAt.trim() === '' ? null : money(typed.compareAt),
    description: typed.description.trim() === '' ? null : typed.description,
    tags: linesOf(typed.tags),
    isPublished: typed.isPublished,
    isFeatured: typed.isFeatured,
    trackInventory,
    variants: variants.map((variant) => ({
      ...(variant.id === null ? {} : { id: variant.id }),
      sku: textOrNull(variant.sku),
      options: optionsOf(typed.options, variant.values),
      price: variant.price.trim() === '' ? null : money(variant.price),
      ...(trackInventory && variant.stock.trim() !== '' ? { stock: numberOrNull(variant.stock) } : {}),
    })),
  }
  if (trackInventory && variants.length === 0 && typed.stock.trim() !== '') body.stock = numberOrNull(typed.stock)
  if (kind === 'service') {
    const { durationMinutes, serviceMode, leadHours } = typed
    const mode = serviceMode === '' ? null : serviceMode
    body.booking = {
      durationMinutes: numberOrNull(durationMinutes),
      serviceMode: mode,
      leadHours: numberOrNull(leadHours),
    }
  }
  if (kind === 'event') body.event = { startsAt: instantOfLocal(typed.startsAt, zone)?.toISOString() ?? null }
  if (kind === 'membership') body.membership = { interval: typed.interval, trialDays: numberOrNull(typed.trialDays) }
  return body
}

/**
 * The body of a change: only what was changed in the form. The list of variants is sent as a whole, but without the stock that nobody
 * touched: orders may have taken from it meanwhile.
 */
export function changeOf(before: Body, after: Body): Body {
  const change = changesOf(before, after)
  if (change.variants === undefined) return change
  const stocks = new Map((before.variants as Body[]).map(({ id, stock }) => [id, stock]))
  const variants = (change.variants as Body[]).map((variant) => {
    const { stock, ...rest } = variant
    return variant.id !== undefined && stocks.get(variant.id) === stock ? rest : variant
  })
  return { ...change, variants }
}

function optionsOf(names: readonly string[], values: readonly string[]): Record<string, string> {
  const pairs = names.map((name, place) => [name.trim(), (values[place] ?? '').trim()] as const)
  return Object.fromEntries(pairs.filter(([name, value]) => name !== '' && value !== ''))
}

function textOf(number: number | null | undefined): string {
  return number === null || number === undefined ? '' : String(number)
}
