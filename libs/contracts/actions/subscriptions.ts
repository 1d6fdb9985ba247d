// The actions of the subscriptions service, all of them for the back office: docs/spec/back-office.md#subscriptions.
import { z } from 'zod'
import { subscriptionStatuses } from '../objects/subscription.ts'
import { idParam, moveParam, pageParams, valuesParam } from './params.ts'

/** Params by action. */
export const subscriptionActions = {
  // Bodies are checked in the service: a refusal then names `productId` alone. An absent body of a move is an empty one.
  'subscriptions.create': z.object({ subscription: z.unknown() }),
  'subscriptions.get': idParam,
  'subscriptions.list': z.object({
    status: valuesParam(subscriptionStatuses).optional(),
    ...pageParams,
  }),
  'subscriptions.renew': moveParam,
  'subscriptions.payment_failed': idParam.extend({ failure: z.unknown().optional() }),
  'subscriptions.cancel': moveParam,
  'subscriptions.resume': moveParam,
  'subscriptions.end': moveParam,
  // The moves of one subscription, newest first.
  'subscriptions.history': idParam.extend(pageParams),
  'subscriptions.settings': z.object({}),
  'subscriptions.change_settings': z.object({ settings: z.unknown() }),
}
