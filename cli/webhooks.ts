// `storefront webhooks`: list, create, test, replay.
import { setTimeout as pause } from 'node:timers/promises'
import type { WebhookAttempt, WebhookEndpoint, WebhookReplay } from '#contracts/objects/webhook'
import type { AdminClient } from './admin-client.ts'
import { showFields, showTable } from './terminal.ts'
import { wasAccepted } from './trigger.ts'
import { filtersOf, kindOf, type Options, required, usageError } from './arguments.ts'

const POLL_MS = 500

export async function webhooksCommand(
  client: AdminClient,
  [verb = 'list', what]: string[],
  options: Options,
): Promise<number> {
  const path = `/shops/${encodeURIComponent(required(options, 'shop'))}/webhook-endpoints`
  switch (verb) {
    case 'list':
      return list(client, path)
    case 'create':
      if (what === undefined) throw usageError('webhooks create needs the URL of the receiver.')
      return create(client, path, what, options)
    case 'test':
      if (what === undefined) throw usageError('webhooks test needs the id of an endpoint.')
      return test(client, `${path}/${encodeURIComponent(what)}`, options)
    case 'replay':
      if (what === undefined) throw usageError('webhooks replay needs the id of an endpoint.')
      return replay(client, `${path}/${encodeURIComponent(what)}`, options)
    default:
      throw usageError(`webhooks knows list, create, test and replay, not ${verb}.`)
  }
}

async function list(client: AdminClient, path: string): Promise<number> {
  const endpoints = (await client.walk(path, {}, 100)) as WebhookEndpoint[]
  showTable(
    ['ID', 'URL', 'EVENTS', 'ENABLED', 'WAITING', 'LAST ERROR', 'CREATED'],
    endpoints.map(({ id, url, events, enabled, disabledReason, waiting, lastError, createdAt }) => [
      ...[id, url, events.join(','), enabled ? 'yes' : `no (${disabledReason})`],
      ...[waiting, lastError, createdAt],
    ]),
  )
  return 0
}

async function create(client: AdminClient, path: string, url: string, options: Options): Promise<number> {
  const body = { url, events: filtersOf(options.events), description: options.description ?? null }
  const endpoint = (await client.call('POST', path, body)) as WebhookEndpoint & { secret: string }
  showFields([
    ['id', endpoint.id],
    ['url', endpoint.url],
    ['events', endpoint.events.join(',')],
    ['description', endpoint.description],
    ['secret', endpoint.secret],
  ])
  process.stderr.write('The secret is not shown again.\n')
  return 0
}

async function test(client: AdminClient, path: string, options: Options): Promise<number> {
  const event = kindOf(options.event ?? 'order.paid')
  const attempt = (await client.call('POST', `${path}/test`, { event })) as WebhookAttempt
  showFields([
    ['event', event],
    ['status', attempt.status],
    ['error', attempt.error],
    ['ms', attempt.durationMs],
    ['answer', attempt.excerpt],
  ])
  return wasAccepted(attempt) ? 0 : 1
}

// The replay runs in the product and goes on when this program ends.
async function replay(client: AdminClient, path: string, options: Options): Promise<number> {
  const { from, to, events, which } = options
  if (from === undefined) throw usageError('webhooks replay needs --from.')
  const body = { from, to, which, ...(events === undefined ? {} : { events: filtersOf(events) }) }
  let state = (await client.call('POST', `${path}/replay`, body)) as WebhookReplay
  const isWatched = process.stderr.isTTY === true
  while (state.status === 'running') {
    if (isWatched) process.stderr.write(`\r${state.queued} of ${state.count} queued `)
    await pause(POLL_MS)
    state = (await client.call('GET', `${path}/replays/${state.id}`)) as WebhookReplay
  }
  if (isWatched) process.stderr.write('\r\u001b[K')
  showFields([
    ['replay', state.id],
    ['status', state.status],
    ['events', state.count],
    ['queued', state.queued],
  ])
  return state.status === 'completed' ? 0 : 1
}
