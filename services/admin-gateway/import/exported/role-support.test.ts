// An export of the role support has no personal data; imported again it empties nothing. docs/spec/imports.md#missing-columns-and-empty-cells
import { expect, test } from '@jest/globals'
import { objectTables } from '#export/columns'
import { csvLine } from '#export/csv'
import { openRows } from '#export/rows'
import { adminRequest, importFile } from '#testing/admin-requests'
import { duringTests } from '#testing/during-tests'
import { openStack } from '#testing/product/stack'

const stack = duringTests(() => openStack({ form: 'one-process' }))

test.each(['orders', 'contacts'] as const)('%s exported by support and imported again are unchanged', async (list) => {
  const shop = await stack.makeShop()
  const person = { email: 'ada@example.com', name: 'Ada', phone: '+447700900123' }
  await stack.makeContact(shop.id, { ...person, privateNote: 'shy', marketingConsentAt: '2026-01-01T00:00:00Z' })
  const items = [{ title: 'Mug', kind: 'physical', quantity: 1, unitPrice: { cents: 900 } }]
  const address = { line1: '1 High Street' }
  const delivery = { method: 'shipping' }
  await stack.makeOrder(shop.id, {
    paymentMethod: 'card',
    customer: person,
    address,
    delivery,
    note: 'ring',
    privateNote: 'x',
    items,
  })
  const { data: operator } = await stack.admin('POST', '/operators', {
    name: 'Sue',
    email: `sue-${list}@example.com`,
    role: 'support',
    shops: [shop.id],
  })
  const { data: token } = await stack.admin('POST', `/operators/${(operator as { id: string }).id}/tokens`, {
    name: 'cli',
  })
  const headers = { authorization: `Bearer ${(token as { secret: string }).secret}` }
  const path = `/shops/${shop.id}/exports/${list}`
  const seen = (await adminRequest(stack, 'GET', path, { headers })).body as { data: Record<string, unknown>[] }
  const before = (await stack.admin('GET', path)).data
  expect(JSON.stringify(seen)).not.toMatch(/Ada|ada@example|High Street|ring|shy|2026-01-01T00:00:00.000Z","email/)
  const { header, rows } = openRows(objectTables[list], seen.data[0] ?? null)
  expect(header.join()).not.toMatch(/email|phone|address|privateNote|consents/)
  const csv = [header, ...seen.data.flatMap(rows)].map(csvLine).join('')
  const ndjson = seen.data.map((object) => `${JSON.stringify(object)}\n`).join('')
  for (const file of [csv, ndjson]) {
    const report = await importFile(stack, shop.id, file, `?format=storefront-${list}`)
    expect(report).toMatchObject({ status: 'completed', unchanged: 1, updated: 0, failed: 0 })
  }
  expect((await stack.admin('GET', path)).data).toEqual(before)
})
