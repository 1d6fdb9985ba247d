// The shop that the path of a call names, as the services get it. An operator sees no shop outside of its list.
import type { Calls } from '#calls/calls'
import type { Caller, CallMeta, Shop } from '#contracts/caller'
import { refuse } from '#contracts/errors'
import type { Operator } from '#contracts/objects/operator'
import type { GatewayContext } from '#http/exchange'

/** Refuses not_found. Auth has found the shop when it was asked for the operator, except for ADMIN_TOKEN. */
export async function findCaller(ctx: GatewayContext, calls: Calls, shop: string, meta: CallMeta): Promise<Caller> {
  const named = ctx.state.operator?.shop
  const found = named?.name === shop ? named.found : ((await calls.read('shops.find', { shop }, meta)) as Shop)
  if (found === null) throw noSuchShop()
  return { ...found, keyId: null, canWrite: true }
}

/** Refuses not_found for a shop that the operator may not see, in the words for one that does not exist. */
export function checkShop({ shopId }: Caller, { shops }: Operator): void {
  if (shops !== null && !shops.includes(shopId)) throw noSuchShop()
}

function noSuchShop() {
  return refuse('not_found', 'No such shop.')
}
