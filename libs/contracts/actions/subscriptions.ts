// The actions of the subscriptions service, all of them for the back office: docs/spec/back-office.md#subscriptions.
import { z } from 'zod'
import { emptyInput } from '../input/fields.ts'
import { paymentFailureInput, subscriptionInput, subscriptionSettingsInput } from '../input/subscription.ts'
import { subscriptionStatuses } from '../objects/subscription.ts'
import { objectBatch } from './import-result.ts'
import { bodyParam, idParam, pageParams, valuesParam } from './params.ts'
import { behindParam } from './person-data.ts'

// A move whose body has no fields.
const move = idParam.extend({ move: bodyParam(emptyInput) })

const listParams = z.object({
  status: valuesParam(subscriptionStatuses).optional(),
  ...pageParams,
})

/** Params by action. */
export const subscriptionActions = {
  'subscriptions.create': z.object({ subscription: bodyParam(subscriptionInput) }),
  'subscriptions.get': idParam,
  'subscriptions.list': listParams,
  // The same memberships, each with the anchor of its periods: docs/spec/imports.md#export.
  'subscriptions.export': listParams,
  'subscriptions.import_objects': z.object(objectBatch), // Answers `importResults`.
  'subscriptions.renew': move,
  'subscriptions.payment_failed': idParam.extend({ failure: bodyParam(paymentFailureInput) }),
  'subscriptions.cancel': move,
  'subscriptions.resume': move,
  'subscriptions.end': move,
  // Answers `PersonPage` (person-data.ts): the memberships of one contact with their history.
  'subscriptions.of_person': z.object({ contact_id: z.guid(), after: behindParam }),
  // The moves of one subscription, newest first.
  'subscriptions.history': idParam.extend(pageParams),
  'subscriptions.settings': z.object({}),
  'subscriptions.change_settings': z.object({ settings: bodyParam(subscriptionSettingsInput) }),
}
