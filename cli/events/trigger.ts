// `storefront trigger`: makes a real test order or membership and moves it until the event fires, so that `listen`, filters and deliveries
// see what a customer would cause; with --sample it sends a sample body to an endpoint. docs/spec/command-line.md
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Option } from 'commander'
import type { WebhookEndpoint } from '#contracts/objects/webhook'
import { type EventBody, type EventKind, eventKinds } from '#contracts/objects/webhook-event'
import { sampleBody } from '#webhook-request/sample-body'
import { type BackOffice, gather, type Json } from '../office/back-office.ts'
import { choiceArgument } from '../choices.ts'
import { type Command, type Given, idIn, shopOption, shopPath, textOption } from '../command.ts'
import { refused } from '../failure.ts'
import { wasAccepted } from '../office/show-answer.ts'
import { makeTestObject } from './test-objects.ts'

const POLL_MS = 200
const WAIT_MS = 15_000

export const triggerCommand: Command = {
  words: 'trigger',
  about: 'makes a test order or membership and moves it until the event fires',
  args: [choiceArgument('event', 'the kind of the event', eventKinds)],
  options: [
    shopOption(),
    new Option('--live', 'allow a shop whose mode is live, where the order is a real one'),
    new Option('--sample', 'send a sample body instead, to every enabled endpoint whatever its filter'),
    new Option('--endpoint <id>', 'with --sample: only to this endpoint').implies({ sample: true }),
  ],
  examples: ['order.shipped --shop demo', 'subscription.renewed --shop demo', 'order.paid --shop demo --sample'],
  run: (given) => (given.options.sample === true ? sendSample(given) : makeEvent(given)),
}

async function makeEvent(given: Given): Promise<number> {
  const kind = given.args[0] as EventKind
  const office = given.office()
  const shop = await office.call('GET', shopPath(given))
  if (shop.mode !== 'test' && given.options.live !== true) {
    throw refused(
      `The shop ${String(shop.handle)} is live: the order would be a real one. Use a shop whose mode is test (shops change ${String(shop.handle)} --mode test), or add --live.`,
    )
  }
  const path = `/shops/${String(shop.id)}`
  const { id } = await makeTestObject(office, path, kind)
  await given.output.list(await eventsOf(office, path, id, kind))
  return 0
}

/** The events of the object, oldest first, once the wanted one is in the log. */
async function eventsOf(office: BackOffice, shop: string, id: string, kind: EventKind): Promise<Json[]> {
  const giveUpAt = Date.now() + WAIT_MS
  for (;;) {
    const own = (await gather(office.walk(`${shop}/events`, { object_id: id }, 100))) as EventBody[]
    if (own.some(({ type }) => type === kind)) return own.sort((a, b) => a.sequence - b.sequence) as Json[]
    if (Date.now() > giveUpAt)
      throw refused(`${id} was made, but ${kind} is not in the event log yet. See: events list.`)
    await sleep(POLL_MS)
  }
}

async function sendSample(given: Given): Promise<number> {
  const { args, output } = given
  const event = args[0] as EventKind
  const office = given.office()
  const shop = shopPath(given)
  const path = `${shop}/webhook-endpoints`
  const listed = (await gather(office.walk(path, {}, 100))) as WebhookEndpoint[]
  const named = textOption(given, 'endpoint')
  const only = named === undefined ? null : await idIn(named, () => office.walk(path, {}, 1))
  const chosen = only === null ? listed.filter(({ enabled }) => enabled) : listed.filter(({ id }) => id === only)
  if (only !== null && chosen.length === 0) throw refused(`There is no endpoint ${only}.`)
  if (chosen.length === 0) {
    const { id: shopId, currency } = (await office.call('GET', shop)) as { id: string; currency: string }
    const now = new Date()
    output.note('The shop has no enabled endpoint; this is the body that an endpoint would receive.')
    process.stdout.write(`${sampleBody(event, { id: randomUUID(), shopId, currency, now })}\n`)
    return 0
  }
  const test = async ({ id, url }: WebhookEndpoint) => ({
    url,
    endpointId: id,
    ...(await office.call('POST', `${path}/${id}/test`, { event })),
  })
  const attempts: Json[] = await Promise.all(chosen.map(test))
  await output.list(attempts)
  return attempts.every(wasAccepted) ? 0 : 1
}
