// Which pages of the console the screenshots show: every screen with one of its objects, and the pages of the documents.
import { type Screen, screens } from '../../console/src/screens.ts'
import { until } from '../until.ts'
import type { DemoProduct } from './demo-product.ts'

/** The name is that of the file, the path that of the console. */
export type ShownPage = { name: string; path: string; height?: number }
type Row = { id: string; name?: string; attemptCount?: number; action?: string }

const SHOP = 'demo'
const inShop = (path: string) => `/shops/${SHOP}/${path}`

/** The list of the back office that has the objects of a screen. */
const lists: Partial<Record<Screen['name'], string>> = {
  events: inShop('events'),
  deliveries: inShop('deliveries'),
  requests: inShop('requests'),
  orders: inShop('orders'),
  products: inShop('products'),
  contacts: inShop('contacts'),
  memberships: inShop('subscriptions'),
  keys: inShop('keys'),
  webhooks: inShop('webhook-endpoints'),
  import: inShop('imports'),
  audit: inShop('audit'),
  auditAll: '/audit',
  operators: '/operators',
}

/** Every screen, and the newest object of each that has objects. */
export async function allPages({ call }: DemoProduct): Promise<ShownPage[]> {
  const pages: ShownPage[] = []
  for (const { name, path, isWide } of screens) {
    const address = isWide === true ? `/${path}` : `/s/${SHOP}${path === '' ? '' : `/${path}`}`
    pages.push({ name, path: address })
    const list = lists[name]
    const [object] = list === undefined ? [] : await call<Row[]>('GET', `${list}?limit=1`)
    if (object !== undefined) pages.push({ name: `${name}-one`, path: `${address}/${object.id}` })
  }
  return [...pages, ...(await importPages(call)), { name: 'reference-one', path: '/reference/listOrders' }]
}

/** An import that failed, and the report of a dry run with problems. */
async function importPages(call: DemoProduct['call']): Promise<ShownPage[]> {
  const pageOf = async (name: string, query: string, file: string) => {
    const { id } = await call<Row>('POST', inShop(`imports?${query}`), file)
    return { name, path: `/s/${SHOP}/import/${id}` }
  }
  const rows = Array.from({ length: 60 }, (_, n) => `mug-${n},Mug ${n},${n % 3 === 0 ? 'ten pounds' : '10.00'}\n`)
  return [
    await pageOf('import-failed', '', 'Bestellnummer;Kunde;Betrag\n1;Ada;5\n'),
    await pageOf('import-dry-run', 'dry_run=true', `Handle,Title,Variant Price\n${rows.join('')},No handle,5.00\n`),
  ]
}

/** The pages that README.md and the guides show. */
export async function pagesOfDocuments({ call }: DemoProduct): Promise<ShownPage[]> {
  const [order] = await call<Row[]>('GET', `${inShop('orders')}?status=shipped&limit=1`)
  const newest = async (list: string, isMeant: (row: Row) => boolean) =>
    (await call<Row[]>('GET', inShop(list))).find(isMeant)
  const key = await newest('keys', ({ name }) => name === 'demo read')
  const isFailing = ({ attemptCount = 0 }: Row) => attemptCount > 0
  const retried = await until(() => newest('deliveries?status=pending&limit=100', isFailing))
  await call('POST', inShop(`deliveries/${retried.id}/retry`)) // The receiver answers it.
  const change = await newest('audit?limit=100', ({ action }) => action === 'subscriptions.cancel')
  if (order === undefined || key === undefined || change === undefined)
    throw new Error('The demo shop has no order on its way, no key that reads, or no membership that was cancelled.')
  return [
    { name: 'console-overview', path: `/s/${SHOP}`, height: 1_040 },
    { name: 'console-order', path: `/s/${SHOP}/orders/${order.id}` },
    { name: 'console-key', path: `/s/${SHOP}/keys/${key.id}` },
    { name: 'console-delivery', path: `/s/${SHOP}/deliveries/${retried.id}` },
    { name: 'console-audit', path: `/s/${SHOP}/audit/${change.id}` },
  ]
}
