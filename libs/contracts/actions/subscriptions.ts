// Owns the actions of the subscriptions service: names and params. There is no public endpoint: only the back office asks.
// Back office: the subscription rows. states-and-events.md 10.
import { z } from 'zod'
import { idParam, pageParams } from './params.ts'
import { subscriptionStatuses } from '../objects/subscription.ts'

const moveParam = idParam.extend({ move: z.unknown().optional() })

export const subscriptionActions = {
  // Bodies are opened by subscription-input.ts in the service: a refusal then names `productId` alone.
  // The body of a move may be absent.
  'subscriptions.create': z.object({ subscription: z.unknown() }),
  'subscriptions.get': idParam,
  'subscriptions.list': z.object({
    status: z.enum(subscriptionStatuses).optional(),
    ...pageParams,
  }),
  'subscriptions.renew': moveParam,
  'subscriptions.payment_failed': idParam.extend({ failure: z.unknown().optional() }),
  'subscriptions.cancel': moveParam,
  'subscriptions.resume': moveParam,
  'subscriptions.end': moveParam,
  // A page of what was done to one subscription, newest first: who, when, from, to.
  'subscriptions.history': idParam.extend(pageParams),
  'subscriptions.settings': z.object({}),
  'subscriptions.change_settings': z.object({ settings: z.unknown() }),
}
