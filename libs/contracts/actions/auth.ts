// The actions of the auth service and what they answer: docs/spec/internals.md#budget-leases,
// docs/spec/rest-api.md#get-the-shop, docs/spec/back-office.md#shops, docs/spec/back-office.md#api-keys,
// docs/spec/back-office.md#imports, docs/spec/operators-and-roles.md#operators.
import { z } from 'zod'
import type { Caller, Shop } from '../caller.ts'
import { emptyInput } from '../input/fields.ts'
import { operatorChange, operatorInput, operatorTokenInput, signInInput } from '../input/operator.ts'
import { viewInput, viewName } from '../input/view.ts'
import { keyInput, keyRoll, shopChange, shopDeletion, shopInput } from '../input/shop.ts'
import { limits } from '../limits.ts'
import type { Resource } from '../objects/shop.ts'
import type { Operator } from '../objects/operator.ts'
import { importActions } from './imports.ts'
import { bodyParam, idParam, pageParams, wordParam } from './params.ts'
import { usageActions } from './usage.ts'

// A shop in a path of the back office: its id or its handle.
const shopParam = z.string().max(512)

/** Params by action. */
export const authActions = {
  // Called by the gateways.
  'auth.admit': z.object({
    key: z.string().max(512), // Empty where the request carried none.
    source: z.string().min(1).max(64),
    node: z.string().min(1).max(255),
    grant_id: z.uuid(),
    want: z.int().min(0).max(1_000_000),
    exact: z.boolean(), // No units beyond those wanted.
  }),
  'auth.find_keys': z.object({ keys: z.array(z.string().max(512)).min(1).max(limits.keysAtOnce) }),
  'auth.note_failures': z.object({
    failures: z
      .array(z.object({ source: z.string().min(1).max(64), count: z.int().min(1).max(1_000_000) }))
      .min(1)
      .max(limits.sourcesAtOnce),
  }),
  // Sent by every process: what it found under SECRET_KEY_PREVIOUS since its last report (docs/spec/running.md#rotation-of-the-secret-key).
  'auth.note_key_uses': z.object({
    secret_id: z.string().regex(/^[0-9a-f]{16}$/),
    uses: z
      .array(
        z.object({
          purpose: z.string().regex(/^[a-z-]{1,32}$/),
          uses: z.int().min(0),
          stored: z.int().min(0).optional(), // Values that are stored under it, where the sender knows.
        }),
      )
      .min(1)
      .max(16),
  }),
  'auth.recognise': z.object({ key_ids: z.array(z.uuid()).max(limits.recognisedAtOnce) }),
  'auth.give_back': z.object({ key_id: z.uuid(), window_id: z.uuid(), units: z.int().min(1).max(1_000_000) }),

  'shop.get': z.object({}),

  // Called by the back office.
  'shops.create': z.object({ shop: bodyParam(shopInput) }),
  'shops.list': z.object({ handle: wordParam(limits.wordLengthMax).optional(), ...pageParams }),
  'shops.get': z.object({ shop: shopParam }),
  'shops.find': z.object({ shop: shopParam }),
  'shops.change': z.object({ shop: shopParam, change: bodyParam(shopChange) }),
  'shops.delete': z.object({ shop: shopParam, deletion: bodyParam(shopDeletion) }),
  'keys.create': z.object({ key: bodyParam(keyInput) }),
  'keys.list': z.object({ ...pageParams }),
  'keys.revoke': idParam,
  'keys.roll': idParam.extend({ roll: bodyParam(keyRoll) }),
  'operators.create': z.object({ operator: bodyParam(operatorInput) }),
  'operators.list': z.object({ email: wordParam(limits.emailLengthMax).optional(), ...pageParams }),
  'operators.get': idParam,
  'operators.change': idParam.extend({ change: bodyParam(operatorChange) }),
  'operators.disable': idParam.extend({ disable: bodyParam(emptyInput) }),
  'operators.end_sessions': idParam,
  'operators.create_link': idParam.extend({ link: bodyParam(emptyInput) }),
  'operator_tokens.create': idParam.extend({ operator_token: bodyParam(operatorTokenInput) }),
  'operator_tokens.list': idParam.extend(pageParams),
  'operator_tokens.revoke': idParam.extend({ token: z.string() }),
  'secret_key.get': z.object({}),
  // Of the operator who calls.
  'views.list': z.object({ ...pageParams }),
  'views.save': z.object({ name: viewName, view: bodyParam(viewInput) }),
  'views.delete': z.object({ name: viewName }),
  // Answers `IdentifyAnswer`. `shop`: the shop that the request is about, as in `shops.find`.
  'operators.identify': z.object({
    by: z.enum(['token', 'session']),
    secret: z.string().max(512),
    shop: shopParam.optional(),
  }),
  // Answers `{ operators }`: of each secret the operator, or null where it is not in force. Notes no use.
  'operators.confirm': z.object({
    secrets: z.array(z.object({ by: z.enum(['token', 'session']), secret: z.string().max(512) })).max(500),
  }),
  // One of the two: the body of a sign-in, or the email that the gateway has verified by OpenID Connect.
  'sessions.create': z.object({ sign_in: bodyParam(signInInput).optional(), email: z.string().max(512).optional() }),
  'sessions.end': z.object({ secret: z.string().max(512) }),
  ...usageActions,
  ...importActions,
}

/** What a key is limited to, where it is limited at all. `expires_at`: milliseconds since the epoch. */
export type Restrictions = { expires_at: number | null; allowed_sources: string[] | null; resources: Resource[] | null }

/** Who calls with a key, and whether the shop's plan includes the API. A key without restrictions has no `restrictions`. */
export type Identity = { caller: Caller; plan_includes_api: boolean; restrictions?: Restrictions }

/**
 * A known key and its window. `left`: units that no gateway holds. `window_ms_left`: by the clock of the database.
 * `recalled`: gateways get only the units they want now (docs/spec/internals.md#recall). `shown`: the most that a response
 * may show as left; null while one gateway alone has held units of the window.
 */
export type KeyFacts = Identity & {
  window_id: string | null
  window_ms_left: number
  left: number
  limit: number
  recalled: boolean
  shown: number | null
}

/**
 * The answer of `auth.admit`. `admitted`: the gateway may let `units` calls through until the window ends; 0 only where
 * none were wanted. `source_limited`: the key is unknown, and the source has used its failure budget up.
 */
export type Admission =
  | ({ decision: 'admitted'; units: number } & KeyFacts)
  | ({ decision: 'rate_limited' } & KeyFacts)
  | { decision: 'unauthorized' }
  | { decision: 'source_limited'; retry_after_ms: number }

/**
 * The answer of `auth.recognise`: the identities of the keys that are in force. `version` changes with every change of
 * a shop or key, and is read before the identities.
 */
export type Recognition = { identities: Identity[]; version: number }

/** What `auth.note_failures` answers of each source: its failures in the present window, and when that ends. */
export type FailureCount = { source: string; failures: number; ms_left: number }

/** The answer of `operators.identify`: null for a secret that is not in force, and for a shop that does not exist. */
export type IdentifyAnswer = { operator: Operator | null; shop: Shop | null }

/** The answer of `sessions.create`: the secret of the cookie, and the operator as `operators.get` answers it. */
export type SignIn = { secret: string; operator: Operator }

/** Asks a gateway for its unused units. `grant_ids` are the newest grants, so that it can wait for one on its way. */
export type Recall = { key_id: string; window_id: string; grant_ids: string[] }
export type Returned = { units: number }
/** Tells a gateway that holds units what responses may show as left from now on (docs/spec/internals.md#remaining-budget). */
export type Shown = { key_id: string; window_id: string; grant_ids: string[]; shown: number }
export type LeaseMessage = Recall | Shown

export type LeaseAction = `lease-of-${string}`

/** The name of the action by which auth reaches this one gateway. */
export function leaseActionOf(nodeId: string): LeaseAction {
  return `lease-of-${nodeId}`
}
