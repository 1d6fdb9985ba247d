// The actions of the audit, which auth answers: docs/spec/audit.md.
import { z } from 'zod'
import { auditMeans, auditOutcomes } from '../objects/audit-entry.ts'
import { createdParams, idFilter, messageParams, oneOrSeveralMessages, pageParams, wordParam } from './params.ts'

/** An entry as it is stored. `changes` is JSON. */
export const auditFacts = z.object({
  id: z.guid(),
  at: z.iso.datetime({ precision: 3 }),
  operator_id: z.guid().nullable(),
  operator_name: z.string().nullable(),
  via: z.enum(auditMeans).nullable(),
  source: z.string().max(64),
  request_id: z.string().max(255).nullable(),
  action: z.string().max(100),
  method: z.string().max(10),
  route: z.string().max(255),
  shop_id: z.guid().nullable(),
  object_type: z.string().max(100),
  object_id: z.guid().nullable(),
  outcome: z.enum(auditOutcomes),
  code: z.string().max(100).nullable(),
  changes: z.string().max(400_000),
})
export type AuditFacts = z.infer<typeof auditFacts>

/** The message audit.entry. */
export const auditMessage = messageParams('audit.entry', auditFacts)

/** Entries in one call of `audit.note`; about 50 KB. */
export const AUDIT_BATCH = 100

const listParams = {
  operator: idFilter.optional().meta({ description: 'Only calls of this operator.' }),
  action: wordParam(100).optional().meta({ description: 'Only this action, such as `orders.refund`.' }),
  object_id: idFilter.optional().meta({ description: 'Only changes of this object.' }),
  created_after: createdParams.created_after.meta({ description: 'Only entries at or after this instant.' }),
  created_before: createdParams.created_before.meta({ description: 'Only entries before this instant.' }),
  ...pageParams,
}

/** Params by action. */
export const auditActions = {
  'audit.list': z.object(listParams),
  'audit.list_all': z.object(listParams),
  // Receives messages audit.entry; answers `{}` when all entries are stored. A known id is skipped.
  'audit.record': oneOrSeveralMessages(auditMessage),
  // What a gateway has seen itself: refusals, failures and failed sign-ins. A known id is skipped.
  'audit.note': z.object({
    entries: z
      .array(auditFacts.extend({ outcome: z.enum(['refused', 'failed']) }))
      .min(1)
      .max(AUDIT_BATCH),
  }),
}
