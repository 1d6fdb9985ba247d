// The routes of events, webhook endpoints, deliveries and replays. docs/spec/back-office.md#webhook-endpoints,
// docs/spec/back-office.md#deliveries-and-replays
import { deleted, endpointWithSecret } from '../objects/back-office.ts'
import {
  endpointHealth,
  replayPreview,
  webhookAttempt,
  webhookDelivery,
  webhookEndpoint,
  webhookReplay,
} from '../objects/webhook.ts'
import { event } from '../objects/webhook-event.ts'
import { change, create, get, many, move, one, queue, remove, send } from './route.ts'

export const webhookRoutes = [
  get('/shops/{shop}/events', 'events.list', many(event), 'Every event of the shop with its body, newest first.'),
  get('/shops/{shop}/events/{id}', 'events.get', one(event), 'One event.'),
  create(
    '/shops/{shop}/webhook-endpoints',
    'endpoints.create',
    one(endpointWithSecret),
    'Creates a webhook endpoint; a shop has at most 5.',
    { showsSecret: true },
  ),
  get('/shops/{shop}/webhook-endpoints', 'endpoints.list', many(webhookEndpoint), 'Webhook endpoints, newest first.'),
  get('/shops/{shop}/webhook-endpoints/{id}', 'endpoints.get', one(webhookEndpoint), 'One webhook endpoint.'),
  get(
    '/shops/{shop}/webhook-endpoints/{id}/health',
    'endpoints.health',
    one(endpointHealth),
    'How the attempts of the last day ended, and the oldest event that is not delivered.',
  ),
  change(
    '/shops/{shop}/webhook-endpoints/{id}',
    'endpoints.change',
    one(webhookEndpoint),
    'Changes a webhook endpoint, or turns it on or off.',
  ),
  remove(
    '/shops/{shop}/webhook-endpoints/{id}',
    'endpoints.delete',
    one(deleted),
    'Deletes a webhook endpoint; what it was owed is skipped.',
  ),
  move(
    '/shops/{shop}/webhook-endpoints/{id}/rotate-secret',
    'endpoints.rotate_secret',
    one(endpointWithSecret),
    'Creates a new secret; the old one overlaps.',
    { showsSecret: true },
  ),
  send(
    '/shops/{shop}/webhook-endpoints/{id}/test',
    'endpoints.test',
    one(webhookAttempt),
    'Sends a test event now and answers the attempt.',
  ),
  get(
    '/shops/{shop}/webhook-endpoints/{id}/deliveries',
    'deliveries.list',
    many(webhookDelivery),
    'Deliveries of an endpoint, newest first.',
  ),
  get(
    '/shops/{shop}/deliveries',
    'deliveries.list_all',
    many(webhookDelivery),
    'Deliveries of all endpoints, newest first.',
  ),
  get('/shops/{shop}/deliveries/{id}', 'deliveries.get', one(webhookDelivery), 'One delivery with its attempts.'),
  send(
    '/shops/{shop}/deliveries/{id}/retry',
    'deliveries.retry',
    one(webhookAttempt),
    'Makes one attempt now, in any state, and answers it.',
  ),
  queue(
    '/shops/{shop}/webhook-endpoints/{id}/replay',
    'replays.create',
    one(webhookReplay),
    'Queues the events of a time range again.',
    { preview: { answers: one(replayPreview), about: 'What the replay would cover; nothing is queued.' } },
  ),
  get(
    '/shops/{shop}/webhook-endpoints/{id}/replays',
    'replays.list',
    many(webhookReplay),
    'Replays of an endpoint, newest first.',
  ),
  get(
    '/shops/{shop}/webhook-endpoints/{id}/replays/{replay}',
    'replays.get',
    one(webhookReplay),
    'One replay with its progress.',
  ),
  remove(
    '/shops/{shop}/webhook-endpoints/{id}/replays/{replay}',
    'replays.cancel',
    one(webhookReplay),
    'Stops a replay.',
  ),
]
