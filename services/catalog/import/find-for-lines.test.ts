// The products of the lines of an imported order. docs/spec/imports.md#shopify-orders
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { FoundForLines } from '#contracts/actions/products'
import { duringTests } from '#testing/during-tests'
import { makeCaller, openService } from '#testing/product/one-service'
import { catalog } from '../service.ts'

const caller = makeCaller()
const service = duringTests(() => openService(catalog))
const ids: Record<string, string> = {}
beforeAll(async () => {
  const variants = ['Red', 'Blue'].map((Colour, index) => ({
    options: { Colour, Size: 'L' },
    sku: index === 0 ? 'R-1' : 'TWICE',
  }))
  for (const product of [
    { title: 'Mug', kind: 'physical' as const },
    { title: 'Mug - Large', kind: 'digital' as const },
    { title: 'Shirt', variants },
    { title: 'Same' },
    { title: 'Same', slug: 'same-again' },
    { title: 'Other', variants: [{ options: { Size: 'S' }, sku: 'TWICE' }] },
  ]) {
    const body = await service.call('products.create', { product: { price: { cents: 100 }, ...product } }, { caller })
    const made = JSON.parse(String(body)).data
    ids[made.slug] = made.id
    for (const one of made.variants) ids[`${made.slug} ${Object.values(one.options).join('/')}`] = one.id
  }
})

async function find(text: string, sku: string | null = null, who = caller) {
  const answer = await service.call('products.find_for_lines', { lines: [{ sku, text }] }, { caller: who })
  return (answer as FoundForLines).lines[0]
}
const none = { product_id: null, variant_id: null, kind: null }

describe('a line', () => {
  test.each<[string, string, string | null]>([
    ['Mug', 'Mug', null],
    ['Mug - Blue', 'Mug', 'Blue'],
    ['Mug - Large', 'Mug - Large', null],
    ['Mug - Large - Blue', 'Mug - Large', 'Blue'],
    ['Mug - Small - Blue', 'Mug', 'Small - Blue'],
    ['Jug - Blue', 'Jug - Blue', null],
    ['Mug -Blue', 'Mug -Blue', null],
    [' - ', ' - ', null],
  ])('%j has the longest title before a dash: %j, %j', async (text, title, label) => {
    expect(await find(text)).toMatchObject({ title, variant_label: label })
  })

  test('is linked by its title, and by its label to the variant', async () => {
    expect(await find('Mug - Large')).toMatchObject({ product_id: ids['mug-large'], variant_id: null, kind: 'digital' })
    expect(await find('Shirt - Blue / L')).toMatchObject({ product_id: ids.shirt, variant_id: ids['shirt Blue/L'] })
    expect(await find('Shirt - Green / L')).toMatchObject({ product_id: ids.shirt, variant_id: null })
  })

  test('is linked by its SKU first, whatever its text', async () => {
    const shirt = { product_id: ids.shirt, variant_id: ids['shirt Red/L'], kind: 'physical' }
    expect(await find('Mug - x', 'R-1')).toEqual({ ...shirt, title: 'Mug', variant_label: 'x' })
    expect(await find('Mug', 'r-1')).toMatchObject({ product_id: ids.mug })
  })

  test('with an ambiguous SKU is linked by its title; with an ambiguous title it is not linked', async () => {
    expect(await find('Mug', 'TWICE')).toMatchObject({ product_id: ids.mug })
    expect(await find('Nothing', 'TWICE')).toEqual({ ...none, title: 'Nothing', variant_label: null })
    expect(await find('Same - x')).toEqual({ ...none, title: 'Same', variant_label: 'x' })
  })

  test('of another shop is not linked, nor is one with a text that cannot be stored', async () => {
    expect(await find('Mug', 'R-1', makeCaller())).toEqual({ ...none, title: 'Mug', variant_label: null })
    expect(await find('a\u0000 - b', 'x\u0000')).toEqual({ ...none, title: 'a\u0000 - b', variant_label: null })
    const long = `${'x'.repeat(100_000)} - y`
    expect(await find(long)).toEqual({ ...none, title: long, variant_label: null })
  })
})
