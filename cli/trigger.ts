// `storefront trigger`: sends a sample event of one kind to every enabled endpoint of a shop, or prints it where there is none.
// docs/spec/webhooks.md#development-commands
import { eventId } from '#outbox/record-event'
import type { WebhookAttempt, WebhookEndpoint } from '#contracts/objects/webhook'
import { sampleBody } from '../services/webhooks/events/sample.ts'
import type { AdminClient } from './admin-client.ts'
import { showTable } from './terminal.ts'
import { kindOf, type Options, required, usageError } from './arguments.ts'

export async function triggerCommand(
  client: AdminClient,
  [name, ...more]: string[],
  options: Options,
): Promise<number> {
  if (name === undefined || more.length > 0) throw usageError('trigger needs the name of one event.')
  const event = kindOf(name)
  const shop = `/shops/${encodeURIComponent(required(options, 'shop'))}`
  const path = `${shop}/webhook-endpoints`
  const endpoints = (await client.walk(path, {}, 100)) as WebhookEndpoint[]
  const enabled = endpoints.filter((endpoint) => endpoint.enabled)
  if (enabled.length === 0) {
    const { id: shopId, currency } = (await client.call('GET', shop)) as { id: string; currency: string }
    const now = new Date()
    process.stderr.write('The shop has no enabled endpoint; this is what one would be sent.\n')
    process.stdout.write(`${sampleBody(event, { id: eventId(now, 0), shopId, currency, now })}\n`)
    return 0
  }
  const test = async ({ id }: WebhookEndpoint) =>
    (await client.call('POST', `${path}/${id}/test`, { event })) as WebhookAttempt
  const attempts = await Promise.all(enabled.map(test))
  showTable(
    ['ENDPOINT', 'STATUS', 'ERROR', 'MS', 'ANSWER'],
    attempts.map(({ status, error, durationMs, excerpt }, at) => [
      enabled[at]?.url,
      status,
      error,
      durationMs,
      excerpt.slice(0, 80),
    ]),
  )
  return attempts.every(wasAccepted) ? 0 : 1
}

/** Whether the receiver accepted the event. */
export function wasAccepted({ status }: Pick<WebhookAttempt, 'status'>): boolean {
  return status !== null && status >= 200 && status <= 299
}
