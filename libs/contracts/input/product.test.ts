// Tests the form of a product as the back office and an import may send it: docs/spec/back-office.md#products.
import { describe, expect, test } from '@jest/globals'
import { openParams } from '#schema/open'
import { isSlug, importedProduct, productChange, productInput } from './product.ts'

const least = { title: 'Mug', price: { cents: 1999 } }
const refusal = (message: string) => expect.objectContaining({ type: 'invalid_request', message })
const parse = (text: string): unknown => JSON.parse(text)

describe('a new product', () => {
  test('needs a title and a price', () => {
    expect(openParams(productInput, least)).toEqual(least)
    expect(() => openParams(productInput, { title: 'Mug' })).toThrow(refusal('price is required.'))
    expect(() => openParams(productInput, { price: { cents: 1 } })).toThrow(refusal('title is required.'))
    expect(() => openParams(productInput, undefined)).toThrow(refusal('title is required.'))
    expect(() => openParams(productInput, [])).toThrow(refusal('The body must be an object.'))
  })

  test.each<[string, unknown, string]>([
    ['title', ' \u200b', 'title must hold at least one visible character.'],
    ['title', 'x'.repeat(256), 'title must be at most 255 characters long.'],
    ['title', 'a\u0000', 'title must be text without U+0000 or broken characters.'],
    ['title', null, 'title must be text.'],
    ['slug', 'Blue Mug', 'slug must be lowercase letters, digits and hyphens, for example blue-mug.'],
    ['slug', '../etc', 'slug must be lowercase letters, digits and hyphens, for example blue-mug.'],
    ['description', 'a\ud800', 'description must be text without U+0000 or broken characters.'],
    ['kind', 'gift', 'kind must be one of physical, digital, service, event, membership.'],
    ['tags', ['ok', ' '], 'tags[1] must hold at least one visible character.'],
    ['tags', 'ok', 'tags must be a list.'],
    ['price', 1999, 'price must be an object.'],
    ['price', { cents: 19.99 }, 'price.cents must be a whole number.'],
    ['price', { cents: -1 }, 'price.cents must be at least 0.'],
    ['price', { amount: '19.99' }, 'price.cents is required.'],
    ['price', { cents: 1, units: 2 }, 'price.units is not a field of this object.'],
    ['compareAt', { cents: '1' }, 'compareAt.cents must be a number.'],
    ['stock', -1, 'stock must be at least 0.'],
    ['stock', 1.5, 'stock must be a whole number.'],
    ['isPublished', 'yes', 'isPublished must be true or false.'],
    ['booking', { durationMinutes: 0 }, 'booking.durationMinutes must be at least 1.'],
    ['booking', { serviceMode: 'hybrid' }, 'booking.serviceMode must be one of in_person, online.'],
    ['booking', { place: 'here' }, 'booking.place is not a field of this object.'],
    [
      'event',
      { startsAt: 'tomorrow' },
      'event.startsAt must be an instant in RFC 3339 form, for example 2026-08-12T09:30:00Z.',
    ],
    ['event', { startsAt: '9999-12-31T23:59:59-10:00' }, 'event.startsAt must lie between the years 1000 and 9999.'],
    ['membership', { interval: 'week' }, 'membership.interval must be one of month, year.'],
    ['variants', [{ options: { Size: 'L' }, colour: 'red' }], 'variants[0].colour is not a field of this object.'],
    ['variants', [{ options: { Size: '' } }], 'variants[0].options must have values of 1 to 255 characters.'],
    ['variants', [{ options: { Size: 1 } }], 'variants[0].options must have values of 1 to 255 characters.'],
    ['variants', [{ options: { ' ': 'L' } }], 'variants[0].options must have option names of 1 to 255 characters.'],
    ['variants', [{ options: ['L'] }], 'variants[0].options must be an object of option names and values.'],
    ['variants', Array.from({ length: 101 }, () => ({})), 'variants must have at most 100 entries.'],
    ['colour', 'red', 'colour is not a field of this object.'],
    ['continueSelling', true, 'continueSelling is not a field of this object.'],
  ])('%s of %j is refused and named', (field, value, message) => {
    expect(() => openParams(productInput, { ...least, [field]: value })).toThrow(refusal(message))
  })

  test('read-only fields are dropped, blank text is null, tags are normalised', () => {
    const sent = {
      ...least,
      description: ' ',
      slug: '',
      tags: ['VIP', ' vip ', 'e\u0301'],
      inStock: 5,
      id: 'x',
      object: 1,
    }
    expect(openParams(productInput, sent)).toMatchObject({ description: null, slug: null, tags: ['vip', '\u00e9'] })
  })

  test('an option named __proto__ is refused and pollutes nothing; constructor is allowed', () => {
    const body = (name: string) => parse(`{"title":"Mug","price":{"cents":1},"variants":[{"options":{"${name}":"x"}}]}`)
    expect(() => openParams(productInput, body('__proto__'))).toThrow(
      refusal('variants[0].options must not have an option named __proto__.'),
    )
    expect(openParams(productInput, body('constructor')).variants?.[0]?.options).toEqual({ constructor: 'x' })
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })
})

describe('a change', () => {
  test('may have any field or none', () => {
    expect(openParams(productChange, {})).toEqual({})
    expect(openParams(productChange, { isFeatured: true })).toEqual({ isFeatured: true })
  })

  test.each(['title', 'slug', 'price', 'kind', 'isPublished'])('%s cannot become null', (field) => {
    expect(() => openParams(productChange, { [field]: null })).toThrow(
      expect.objectContaining({ type: 'invalid_request' }),
    )
  })

  test('a slug cannot become blank', () => {
    expect(() => openParams(productChange, { slug: '' })).toThrow(expect.objectContaining({ type: 'invalid_request' }))
  })
})

describe('slug', () => {
  test.each(['mug', 'blue-mug', 'a_b.c~d', '2', '日本', 'हिन्दी'])('%j is one', (text) =>
    expect(isSlug(text)).toBe(true),
  )
  test.each(['', '-mug', 'Mug', 'a b', 'a/b', 'a?b', 'a%20b', '.', 'e\u0301', 'x'.repeat(256)])('%j is none', (text) =>
    expect(isSlug(text)).toBe(false),
  )
})

describe('a product of a file', () => {
  const file = {
    slug: 'mug',
    title: 'Mug',
    description: '',
    kind: 'physical',
    tags: ['A', ' ', 'a'],
    sku: null,
    price_cents: 1999,
    compare_at_cents: null,
    track_inventory: false,
    stock: null,
    continue_selling: false,
    is_published: true,
    is_featured: false,
    variants: [{ key: 'k', sku: null, options: [['Size', 'L']], price_cents: 1, stock: null, continue_selling: false }],
    created_at: null,
  }

  test('is checked like one of the back office', () => {
    const opened = openParams(importedProduct, file)
    expect(opened).toMatchObject({ description: null, tags: ['a'] })
    expect(opened.variants[0]?.options).toEqual({ Size: 'L' })
  })

  test.each<[[string, string][], string]>([
    [[['__proto__', 'x']], 'variants[0].options must not have an option named __proto__.'],
    [
      [
        ['Size', 'L'],
        ['Size', 'M'],
      ],
      'variants[0].options must not have an option twice.',
    ],
    [[['Size', '']], 'variants[0].options must have values of 1 to 255 characters.'],
  ])('options %j are refused', (options, message) => {
    const variants = [{ ...file.variants[0], options }]
    expect(() => openParams(importedProduct, { ...file, variants })).toThrow(refusal(message))
  })
})
