// Rendering every stored product again. docs/spec/data-model.md#documents
import { expect, test } from '@jest/globals'
import type { Product } from '#contracts/objects/product'
import { duringTests } from '#testing/during-tests'
import { makeCaller, openService } from '#testing/product/one-service'
import { renderAll } from './render.ts'
import { catalog } from './service.ts'

const service = duringTests(() => openService(catalog))

test('stale documents of every shop are rendered, once, and updatedAt stays', async () => {
  const made: { product: Product; caller: ReturnType<typeof makeCaller> }[] = []
  for (const caller of [makeCaller(), makeCaller({ currency: 'JPY' })]) {
    for (let n = 0; n < 205; n += 1) {
      const product = { title: `P${n}`, price: { cents: n }, variants: n % 2 ? [{ options: { a: '1' } }] : [] }
      const answer = await service.call('products.create', { product }, { caller })
      made.push({ caller, product: JSON.parse(String(answer)).data })
    }
  }
  expect(await renderAll(service.db)).toBe(0)
  await service.db.rows("update products set list_document = '{}', document = '{}'")
  expect(await renderAll(service.db)).toBe(410)
  expect(await renderAll(service.db)).toBe(0)
  for (const { caller, product } of made.slice(200, 210)) {
    const answer = await service.call('products.get', { id: product.id }, { caller })
    expect(JSON.parse(String(answer)).data).toEqual(product)
  }
})

test('two shops may have products with one id: each keeps its own variants', async () => {
  const [one, other] = [makeCaller(), makeCaller()]
  const product = { title: 'Shirt', price: { cents: 900 }, variants: [{ options: { size: 'S' } }] }
  const { id } = JSON.parse(String(await service.call('products.create', { product }, { caller: one }))).data
  for (const [table, key] of [
    ['products', 'id'],
    ['variants', 'product_id'],
  ]) {
    await service.db.rows(
      `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object('shop_id', $3::text))).* from ${table} t
       where shop_id = $1 and ${key} = $2`,
      [one.shopId, id, other.shopId],
    )
  }
  await service.db.rows(`update variants set options = '{"size":"L"}' where shop_id = $1`, [other.shopId])
  expect(await renderAll(service.db)).toBe(1)
  await service.call('products.change', { id, product: { title: 'Blouse' } }, { caller: other })
  const read = async (caller: typeof one) => {
    const { data } = JSON.parse(String(await service.call('products.get', { id }, { caller })))
    return [data.title, data.variants.map(({ options }: Product['variants'][number]) => options)]
  }
  expect(await read(one)).toEqual(['Shirt', [{ size: 'S' }]])
  expect(await read(other)).toEqual(['Blouse', [{ size: 'L' }]])
})
