// The access of an agent that an operator approved, and the request that leads to it: docs/spec/agents-access.md#grants.
import { z } from 'zod'
import { instant, openEnumeration, uuid } from '../objects/scalar.ts'
import { accesses, resources } from '../objects/shop.ts'

/** How a client became known: by the document at its id, or by registering itself. */
export const registrations = ['document', 'registered'] as const
export const endReasons = ['revoked', 'expired', 'client', 'reuse', 'operator'] as const

const agentClient = z.object({
  id: z.string().meta({ description: 'The client id; the URL of its document, or an id of ours.' }),
  name: z.string().meta({ description: 'What the client calls itself.' }),
  registration: openEnumeration(registrations, '`registered`: nobody has checked who the client is.'),
  redirectHost: z.string().meta({ description: 'The host that gets the access.' }),
})

/** The access of one agent to one shop. */
export const agentGrant = z
  .object({
    id: uuid,
    object: z.literal('agent_grant'),
    shopId: uuid,
    client: agentClient,
    access: openEnumeration(accesses, 'What the agent may do.'),
    resources: z.array(z.enum(resources)).nullable().meta({ description: 'What it reaches; null: everything.' }),
    operatorId: uuid.meta({ description: 'Who approved it.' }),
    createdAt: instant,
    expiresAt: instant,
    lastUsedAt: instant.nullable(),
    endedAt: instant.nullable(),
    endedReason: openEnumeration(endReasons, 'Why it ended.').nullable(),
  })
  .meta({ id: 'AgentGrant' })

/** A request of a client for access, until an operator has decided about it. */
export const agentAuthorization = z
  .object({
    id: z.string(),
    object: z.literal('agent_authorization'),
    client: agentClient.extend({
      host: z.string().nullable().meta({ description: 'The host of the client id; null: the client is not verified.' }),
      isLoopback: z.boolean().meta({ description: 'The access goes to a program on the machine of the browser.' }),
    }),
    access: openEnumeration(accesses, 'The most that may be granted.'),
    createdAt: instant,
    expiresAt: instant,
  })
  .meta({ id: 'AgentAuthorization' })

/** Where the browser goes after a decision. */
export const agentDecision = z
  .object({
    object: z.literal('agent_decision'),
    redirectTo: z
      .string()
      .meta({ description: 'Shown in this answer only. Works once, in the browser in which the sign-in began.' }),
  })
  .meta({ id: 'AgentDecision' })

export type Registration = (typeof registrations)[number]
export type EndReason = (typeof endReasons)[number]
export type AgentGrant = z.infer<typeof agentGrant>
export type AgentAuthorization = z.infer<typeof agentAuthorization>
