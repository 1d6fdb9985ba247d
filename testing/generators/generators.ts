// What the tests of generators share: both documents as files, a shop with orders, and the URL and credentials of both APIs.
// docs/spec/reference.md#openapi-documents
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exchange } from '../product/http.ts'
import { openStack } from '../product/stack.ts'

const token = 'an-operator-token-for-tests-only'

export type Api = {
  name: 'storefront' | 'back_office'
  /** The document as the product answers it, in the folder. */
  file: string
  url: string
  credential: string
  /** The shop in the paths of the API; none in those of the public one. */
  shop: string[]
}
export type Given = { folder: string; apis: Api[]; orders: string[]; stop(): Promise<void> }

/** A running product, whose shop has orders for three pages of two. */
export async function openGiven(): Promise<Given> {
  const folder = mkdtempSync(join(tmpdir(), 'storefront-generator-'))
  const stack = await openStack({ form: 'one-process' })
  const shop = await stack.makeShop()
  const { secret: key } = await stack.makeKey(shop.id)
  const items = [{ title: 'Tea', kind: 'physical', quantity: 1, unitPrice: { cents: 5 } }]
  const orders: string[] = []
  for (let index = 0; index < 5; index += 1)
    orders.unshift((await stack.makeOrder(shop.id, { paymentMethod: 'card', items })).id)
  const sides: (Omit<Api, 'file' | 'url'> & { port: number; document: string; base: string })[] = [
    {
      name: 'storefront',
      port: stack.ports[0] ?? 0,
      document: '/openapi.json',
      base: '/api/v1',
      credential: key,
      shop: [],
    },
    {
      ...{
        name: 'back_office' as const,
        port: stack.adminPorts[0] ?? 0,
        document: '/admin/v1/openapi.json',
        base: '/admin/v1',
      },
      ...{ credential: token, shop: [shop.handle] },
    },
  ]
  const apis: Api[] = []
  for (const { port, document, base, ...api } of sides) {
    const file = join(folder, `${api.name}.json`)
    const { text } = await exchange(port, document, { headers: { authorization: `Bearer ${token}` } })
    writeFileSync(file, text)
    apis.push({ ...api, file, url: `http://127.0.0.1:${port}${base}` })
  }
  return {
    ...{ folder, apis, orders },
    async stop() {
      await stack.stop()
      rmSync(folder, { recursive: true })
    },
  }
}
