// The approval of an agent as the back office may send it: docs/spec/agents-access.md#consent.
import { z } from 'zod'
import { limits } from '../limits.ts'
import { accesses, resources } from '../objects/shop.ts'

/** How long an approved agent has access, in days. */
export const lifetimes = [1, 7, 30, 90] as const

export const approvalInput = z.strictObject({
  shop: z.string().min(1).max(limits.wordLengthMax).meta({ description: 'Id or handle of the shop.' }),
  access: z.enum(accesses),
  resources: z.array(z.enum(resources)).min(1).nullable().optional(),
  expiresInDays: z.literal(lifetimes).default(30),
})

export type ApprovalInput = z.output<typeof approvalInput>
