// `deliveries list` over all endpoints of a shop, and `events resend`, which sends one event to its endpoints again.
import { Option } from 'commander'
import { actions } from '#contracts/actions'
import { deliveryId, happenedAtOf } from '#contracts/delivery-id'
import type { WebhookDelivery, WebhookEndpoint } from '#contracts/objects/webhook'
import { type BackOffice, gather, type Json } from '../office/back-office.ts'
import { type Command, type Given, idIn, limitOption, shopOption, shopPath, textOption } from '../command.ts'
import { hasCode, refused } from '../failure.ts'
import { fieldsOf, optionsOf, queryOf } from '../office/fields.ts'
import { wasAccepted } from '../office/show-answer.ts'

const ENDPOINTS_MAX = 100 // A shop has five; the list is read whole.
const filters = fieldsOf(actions['deliveries.list_all']).filter(
  ({ flag }) => !['endpoint', 'limit', 'cursor'].includes(flag),
)
const endpointOption = () => new Option('--endpoint <id>', 'only this endpoint')

export const deliveryCommands: Command[] = [
  {
    words: 'deliveries list',
    about: 'the deliveries of all endpoints, newest event first',
    options: [shopOption(), endpointOption(), ...filters.flatMap(optionsOf), limitOption()],
    examples: ['--shop demo', '--shop demo --status failed'],
    async run(given) {
      const office = given.office()
      const shop = shopPath(given)
      const only = textOption(given, 'endpoint')
      const endpoint = only === undefined ? {} : { endpoint: await endpointId(office, shop, only) }
      const query = { ...queryOf(filters, given.options), ...endpoint }
      await given.output.list(office.walk(`${shop}/deliveries`, query, Number(given.options.limit)))
    },
  },
  {
    words: 'events resend',
    about: 'sends an event again now, to the endpoints whose filter names it',
    args: ['<id>'],
    options: [shopOption(), endpointOption()],
    examples: ['latest --shop demo'],
    run: resend,
  },
]

/** The newest delivery; of those of one event the one to the newest endpoint, as endpoints are listed. `shop` is its path. */
export async function* newestDelivery(office: BackOffice, shop: string): AsyncGenerator<Json> {
  const path = `${shop}/deliveries`
  const [newest] = await gather(office.walk(path, {}, 1))
  if (newest === undefined) return
  const { eventId } = newest as WebhookDelivery
  const ofEvent = await gather(office.walk(path, { event_id: eventId }, ENDPOINTS_MAX))
  for await (const { id } of endpointsOf(office, shop, undefined))
    for (const one of ofEvent) if (one.endpointId === id) yield one
  yield newest // Where its endpoint was deleted.
}

async function* endpointsOf(office: BackOffice, shop: string, only: string | undefined): AsyncGenerator<Json> {
  const path = `${shop}/webhook-endpoints`
  if (only === undefined) yield* office.walk(path, {}, ENDPOINTS_MAX)
  else yield { id: await endpointId(office, shop, only) }
}

function endpointId(office: BackOffice, shop: string, only: string): Promise<string> {
  return idIn(only, () => office.walk(`${shop}/webhook-endpoints`, {}, 1))
}

async function resend(given: Given): Promise<number> {
  const { args, output } = given
  const office = given.office()
  const shop = shopPath(given)
  const event = await idIn(args[0] ?? '', () => office.walk(`${shop}/events`, {}, 1))
  const attempts: Json[] = []
  for await (const endpoint of endpointsOf(office, shop, textOption(given, 'endpoint'))) {
    const { id, enabled } = endpoint as WebhookEndpoint
    if (enabled === false) continue
    const delivery = deliveryId(event, id, happenedAtOf(event))
    const attempt = await office.call('POST', `${shop}/deliveries/${delivery}/retry`).catch((error: unknown) => {
      if (hasCode(error, 'not_found')) return null // Outside the filter of this endpoint.
      throw error
    })
    if (attempt !== null) attempts.push({ ...attempt, endpointId: id, deliveryId: delivery })
  }
  if (attempts.length === 0) throw refused('No enabled endpoint of this shop has a delivery of this event.')
  await output.list(attempts)
  return attempts.every(wasAccepted) ? 0 : 1
}
