// Proves rendering all products again: every stale document is made anew, and nothing says that a product changed.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Product } from '#contracts/objects/product'
import { makeCaller, type OneService, openService } from '#testing/one-service'
import { renderAll } from './render.ts'
import { catalog } from './service.ts'

let house: OneService
beforeAll(async () => {
  house = await openService(catalog)
})
afterAll(() => house.close())

test('stale documents of every shop are rendered, once, and updatedAt stays', async () => {
  const made: { product: Product; caller: ReturnType<typeof makeCaller> }[] = []
  for (const caller of [makeCaller(), makeCaller({ currency: 'JPY' })]) {
    for (let n = 0; n < 205; n += 1) {
      const product = { title: `P${n}`, price: { cents: n }, variants: n % 2 ? [{ options: { a: '1' } }] : [] }
      const answer = await house.call('products.create', { product }, { caller })
      made.push({ caller, product: JSON.parse(String(answer)).data })
    }
  }
  expect(await renderAll(house.db)).toBe(0)
  await house.db.rows("update products set list_document = '{}', document = '{}'")
  expect(await renderAll(house.db)).toBe(410)
  expect(await renderAll(house.db)).toBe(0)
  for (const { caller, product } of made.slice(200, 210)) {
    const answer = await house.call('products.get', { id: product.id }, { caller })
    expect(JSON.parse(String(answer)).data).toEqual(product)
  }
})
