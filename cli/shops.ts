// `storefront shops`: list, create, show.
import type { AdminClient } from './admin-client.ts'
import { showFields, showTable } from './terminal.ts'
import { usageError, required, type Options } from './arguments.ts'

type Shop = { id: string; handle: string; name: string; currency: string; timeZone: string; country: string | null }
type ShopRecord = Shop & { ownerEmail: string | null; plan: string; createdAt: string }

export async function shopsCommand(
  client: AdminClient,
  [verb = 'list', handle]: string[],
  options: Options,
): Promise<number> {
  switch (verb) {
    case 'list': {
      const shops = (await client.walk('/shops', { handle: options.handle }, 10_000)) as ShopRecord[]
      const head = ['HANDLE', 'NAME', 'CURRENCY', 'TIME ZONE', 'PLAN', 'ID']
      showTable(
        head,
        shops.map((shop) => [shop.handle, shop.name, shop.currency, shop.timeZone, shop.plan, shop.id]),
      )
      return 0
    }
    case 'create':
      show((await client.call('POST', '/shops', newShop(options))) as ShopRecord)
      return 0
    case 'show':
      if (handle === undefined) throw usageError('shops show needs a handle or an id.')
      show((await client.call('GET', `/shops/${encodeURIComponent(handle)}`)) as ShopRecord)
      return 0
    default:
      throw usageError(`shops knows list, create and show, not ${verb}.`)
  }
}

function newShop(options: Options) {
  return {
    handle: required(options, 'handle'),
    name: required(options, 'name'),
    currency: required(options, 'currency'),
    timeZone: required(options, 'time-zone'),
    country: options.country ?? null,
    ownerEmail: options['owner-email'] ?? null,
    ...(options.plan === undefined ? {} : { plan: options.plan }),
  }
}

function show(shop: ShopRecord): void {
  showFields([
    ['id', shop.id],
    ['handle', shop.handle],
    ['name', shop.name],
    ['currency', shop.currency],
    ['time zone', shop.timeZone],
    ['country', shop.country],
    ['owner email', shop.ownerEmail],
    ['plan', shop.plan],
    ['created', shop.createdAt],
  ])
}
