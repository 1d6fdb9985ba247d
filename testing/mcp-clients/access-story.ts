// What every official client does with an access that it signed in for: all tools, a refresh, the end of its budget, and the end of the
// access (docs/spec/agents-access.md#grants, docs/spec/agents-access.md#tokens).
import { expect } from '@jest/globals'
import { onServer } from '../database.ts'
import type { Stack } from '../product/stack.ts'

type Json = Record<string, unknown>
export type Called = { failed: string } | { structured: unknown }
export type SignedIn = {
  list(): Promise<string[]>
  call(name: string, given: Json): Promise<Called>
  /** The access token that it uses. */
  token(): string | null
  /** What the client notices of the end of its access token; the product notices it by itself. */
  passAnHour(): Promise<void>
}
export type FilledShop = { id: string; product: string; contact: string; order: string }

/** A shop with one object of each kind. */
export async function makeFilledShop(stack: Stack): Promise<FilledShop> {
  const { id } = await stack.makeShop()
  const product = (await stack.makeProduct(id, { title: 'Vase', kind: 'physical', price: { cents: 5 } })).id
  const contact = (await stack.makeContact(id, { email: 'ada@example.com' })).id
  const items = [{ productId: product, quantity: 2 }]
  const order = (await stack.makeOrder(id, { paymentMethod: 'card', items })).id
  return { id, product, contact, order }
}

type Expected = {
  /** How the client named itself. */
  registration: 'document' | 'registered'
  /** What it says when its access has ended. */
  refused: RegExp
  /** Calls that others have made before in the minute of its budget. */
  usedBefore: number
}

export async function useAccess(
  stack: Stack,
  shop: FilledShop,
  client: SignedIn,
  { registration, refused, usedBefore }: Expected,
): Promise<void> {
  const tools: [string, Json][] = [
    ['create_contact', { email: 'ada@example.com', tags: ['one'] }],
    ['get_contact', { id: shop.contact }],
    ['get_order', { id: shop.order }],
    ['get_product', { id: shop.product }],
    ['get_shop', {}],
    ['list_contacts', { email: 'ada@example.com' }],
    ['list_orders', { status: 'new' }],
    ['list_products', { limit: 1 }],
    ['update_contact_tags', { id: shop.contact, remove: ['one'] }],
  ]
  expect(await client.list()).toEqual(tools.map(([name]) => name))
  const answers = { structured: { data: expect.anything() } }
  for (const [name, given] of tools) expect([name, await client.call(name, given)]).toMatchObject([name, answers])

  const [grant] = (await stack.admin('GET', `/shops/${shop.id}/agents`)).data as { id: string; client: object }[]
  const id = grant?.id ?? ''
  expect(grant?.client).toMatchObject({ registration, redirectHost: 'agent.example' })
  const write = (text: string) => onServer(stack.databaseUrl, text)
  const before = client.token()
  await write(`update auth.agent_tokens set expires_at = now() where kind = 'access' and grant_id = '${id}'`)
  await client.passAnHour()
  expect(await client.call('get_shop', {})).toMatchObject(answers)
  expect(client.token()).not.toBe(before)

  // A minute that no slow machine ends.
  const newMinute = (used: number) =>
    write(
      `update auth.budgets set used = ${used}, ends_at = clock_timestamp() + interval '1 hour' where key_id = '${id}'`,
    )
  await newMinute(usedBefore)
  for (let call = usedBefore + 1; call <= 240; call += 1)
    expect(await client.call('get_shop', {})).toMatchObject(answers)
  const tooMany = expect.stringMatching(/429|Too Many Requests|More than 240 calls in a minute/)
  expect(await client.call('get_shop', {})).toEqual({ failed: tooMany })

  await newMinute(0)
  const key = client.token()
  await stack.admin('DELETE', `/shops/${shop.id}/agents/${id}`)
  expect((await stack.mcp.call('tools/list', {}, { key })).status).toBe(401)
  expect(await client.call('get_shop', {})).toEqual({ failed: expect.stringMatching(refused) })
}
