// The actions of the webhooks service: docs/spec/outboxes.md#relay, docs/spec/events.md#event-log,
// docs/spec/back-office.md#webhook-endpoints, docs/spec/back-office.md#deliveries-and-replays.
import { z } from 'zod'
import { emptyInput } from '../input/fields.ts'
import { endpointChange, endpointInput, replayInput, rotationInput, testInput } from '../input/webhook.ts'
import { limits } from '../limits.ts'
import { deliveryStatuses } from '../objects/webhook.ts'
import { eventFamilies, eventKinds } from '../objects/webhook-event.ts'
import {
  bodyParam,
  createdParams,
  idFilter,
  idParam,
  instantParam,
  pageParams,
  valuesParam,
  versionsParams,
} from './params.ts'
import { eventsOfObjectsParams } from './person-data.ts'

const kindsOrFamilies = valuesParam([...eventKinds, ...eventFamilies.map((family) => `${family}.*` as const)])
const eventFilterParams = {
  object_id: idFilter.optional().meta({ description: 'Only events of this order or subscription.' }),
  created_after: createdParams.created_after.meta({
    description: 'Only events that happened at or after this instant.',
  }),
  created_before: createdParams.created_before.meta({ description: 'Only events that happened before this instant.' }),
}

const deliveryKinds = kindsOrFamilies
  .optional()
  .meta({ description: 'Only deliveries of these event kinds or families (`order.*`), joined by commas.' })

/** Params by action. */
export const webhookActions = {
  // Stores the events of a service; answers `{}` when all are stored. Known ids are skipped. `type` is any text, so that a
  // service of a newer release can send its kinds. A `piece` is a part of one long body; pieces come in their order.
  'webhooks.ingest': z.object({
    events: z
      .array(
        z.object({
          id: z.guid(),
          shop_id: z.guid(),
          object_id: z.guid(),
          sequence: z.int().min(1),
          type: z.string().min(1),
          happened_at: instantParam,
          body: z.string().min(1),
          piece: z.object({ index: z.int().min(0), count: z.int().min(1) }).optional(),
        }),
      )
      .max(200),
  }),
  // Receives the message events.forgotten; answers `{}` when the events are deleted.
  'webhooks.forget': z.object({
    id: z.guid(),
    kind: z.literal('events.forgotten'),
    shop_id: z.guid(),
    body: z.object({ events: z.array(z.object({ id: z.guid(), happened_at: instantParam })) }),
  }),
  'events.of_objects': eventsOfObjectsParams, // Answers `EventsPage` (person-data.ts).
  'events.list': z.object({
    type: kindsOrFamilies
      .optional()
      .meta({ description: 'Only events of these kinds or families (`order.*`), joined by commas.' }),
    ...eventFilterParams,
    ...pageParams,
  }),
  'events.get': idParam,
  // The public event log: oldest first behind a cursor, newest first without.
  'events.feed': z.object({
    type: kindsOrFamilies
      .optional()
      .meta({ description: 'Only events of these kinds or families (`order.*`), joined by commas.' }),
    ...eventFilterParams,
    wait: z
      .int()
      .min(0)
      .optional()
      .meta({
        description: `Seconds to wait for an event where there is none; more than ${limits.eventWaitS} is read as ${limits.eventWaitS}.`,
      }),
    ...pageParams,
  }),
  // The last position of each shop's event log.
  'events.versions': versionsParams,

  // Called by the back office.
  'endpoints.create': z.object({ endpoint: bodyParam(endpointInput) }),
  'endpoints.list': z.object({ ...pageParams }),
  'endpoints.get': idParam,
  'endpoints.health': idParam,
  'endpoints.change': idParam.extend({ change: bodyParam(endpointChange) }),
  'endpoints.delete': idParam,
  'endpoints.rotate_secret': idParam.extend({ rotation: bodyParam(rotationInput) }),
  // Sends at once and waits for the receiver, up to 17 s.
  'endpoints.test': idParam.extend({ test: bodyParam(testInput) }),
  // `id` is the endpoint's; it may have been deleted in the last 30 days.
  'deliveries.list': idParam.extend({
    status: valuesParam(deliveryStatuses).optional().meta({ description: 'Only deliveries that stand there.' }),
    event: deliveryKinds,
    ...eventFilterParams,
    ...pageParams,
  }),
  // Of all endpoints of the shop, deleted ones too.
  'deliveries.list_all': z.object({
    endpoint: idFilter.optional().meta({ description: 'Only deliveries to this endpoint: its id.' }),
    status: valuesParam(deliveryStatuses).optional().meta({ description: 'Only deliveries that stand there.' }),
    event: deliveryKinds,
    event_id: idFilter.optional().meta({ description: 'Only deliveries of this event.' }),
    ...eventFilterParams,
    ...pageParams,
  }),
  'deliveries.get': idParam,
  // Sends at once and waits for the receiver, up to 17 s.
  'deliveries.retry': idParam.extend({ retry: bodyParam(emptyInput) }),
  // `id` is the endpoint's.
  'replays.create': idParam.extend({
    replay: bodyParam(replayInput),
    dry_run: z.boolean().default(false).meta({ description: 'Only counts: nothing is queued.' }),
  }),
  // `id` is the endpoint's.
  'replays.list': idParam.extend(pageParams),
  'replays.get': idParam.extend({ replay: z.string() }),
  'replays.cancel': idParam.extend({ replay: z.string() }),
}
