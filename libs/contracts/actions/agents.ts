// The actions of agents' access, which auth answers: those of the sign-in, which mcp-gateway calls as the adapter of its OAuth library, and
// those of the back office. docs/spec/agents-access.md
import { z } from 'zod'
import { approvalInput } from '../agents/input.ts'
import { emptyInput } from '../input/fields.ts'
import { limits } from '../limits.ts'
import { registrations } from '../agents/objects.ts'
import { accesses } from '../objects/shop.ts'
import { bodyParam, idParam, pageParams } from './params.ts'

/** What is stored by the digest of a secret. */
export const tokenKinds = ['code', 'access', 'refresh'] as const

const clientId = z.string().min(1).max(limits.linkLengthMax)
const authorizationId = z.string().min(1).max(64)
const token = z.string().min(1).max(128)
const json = z.string().max(limits.agentPayloadMax)
const lifetimeS = z
  .int()
  .min(1)
  .max(400 * 86_400)

/** Params by action. */
export const agentActions = {
  // Of the sign-in.
  'agent.store_client': z.object({ id: clientId, document: json }),
  'agent.find_client': z.object({ id: clientId }),
  'agent.open_authorization': z.object({
    id: authorizationId,
    client: z.object({
      id: clientId,
      name: z.string().max(limits.agentNameMax),
      registration: z.enum(registrations),
      redirect_uri: z.string().max(limits.linkLengthMax),
    }),
    access: z.enum(accesses),
    payload: json,
    lifetime_s: lifetimeS,
  }),
  // Answers `{ payload }`, with the decision once there is one; null where the request is unknown or over.
  'agent.find_authorization': z.object({ id: authorizationId }),
  // Answers `{ taken }`: whether the value is the one of the decision, which it is once only.
  'agent.take_decision': z.object({ id: authorizationId, value: token }),
  'agent.close_authorization': z.object({ id: authorizationId }),
  'agent.find_grant': z.object({ id: z.string().max(64) }),
  // Answers `{ stored }`: false where the grant is over.
  'agent.store_token': z.object({
    kind: z.enum(tokenKinds),
    token,
    grant_id: z.uuid(),
    payload: json,
    lifetime_s: lifetimeS,
  }),
  // Answers `{ payload, used }`, or null. `used`: seconds since the epoch, where using it again ends the grant.
  'agent.find_token': z.object({ kind: z.enum(tokenKinds), token }),
  // Answers `{ used }`: whether this call is the one that may use it.
  'agent.use_token': z.object({ kind: z.enum(tokenKinds), token }),
  'agent.end': z.object({
    grant_id: z.uuid(),
    reason: z.enum(['client', 'reuse']),
    source: z.string().max(64),
    request_id: z.string().max(255),
  }),

  // Of the back office.
  'agent.authorization': idParam,
  'agent.approve': idParam.extend({ approval: bodyParam(approvalInput) }),
  'agent.refuse': idParam.extend({ refusal: bodyParam(emptyInput) }),
  'agent.list': z.object({ ...pageParams }),
  'agent.get': idParam,
  'agent.revoke': idParam,
}

export type TokenKind = (typeof tokenKinds)[number]
/** The answers of `agent.find_authorization`, `agent.find_grant` and `agent.find_token`. */
export type FoundAuthorization = { payload: string; decision: Decision | null } | null
export type Decision = { grant_id: string; operator_id: string } | 'refused'
export type FoundGrant = { client_id: string; operator_id: string; access: 'read' | 'write'; expires_at: number } | null
export type FoundToken = { payload: string; used: number | null } | null
