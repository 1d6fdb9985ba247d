// What the overview looks at, as the back office answers it.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'

export type Usage = BackOfficeSchemas['Usage']
export type Request = BackOfficeSchemas['Request']
export type Key = BackOfficeSchemas['ApiKey']
export type Endpoint = BackOfficeSchemas['WebhookEndpoint']
export type Delivery = BackOfficeSchemas['WebhookDelivery']

/** The deliveries of a shop. */
export type Deliveries = {
  /** Of the events of the last hour, newest first, and whether there are more. */
  hour: readonly Delivery[]
  isCut: boolean
  /** Those that were given up, newest first, and whether there are more. */
  failed: readonly Delivery[]
  isFailedCut: boolean
  /** The one whose event is the oldest of those that are not delivered yet; held ones wait for a person and are not meant. */
  oldest: Delivery | null
  /** There are more of its time, some of which may be older. */
  isOldestCut: boolean
}

/** Null where a part is not there: it was refused, has failed, or is still on its way. */
export type Facts = {
  /** Of the last hour. */
  usage: readonly Usage[] | null
  /** Of the last hour, newest first. */
  requests: readonly Request[] | null
  keys: readonly Key[] | null
  endpoints: readonly Endpoint[] | null
  deliveries: Deliveries | null
}

/** Calls that a key may make in a minute: docs/spec/rest-api.md#rate-limit. */
export const BUDGET = 240
/** How far back the overview looks. */
export const MINUTES = 60
export const MINUTE_MS = 60_000
export const DAY_MS = 86_400_000
