// What the back office takes to begin a restore, and a batch of its rows. docs/spec/archives.md#restore
import { z } from 'zod'
import { type PartName, partNames } from '../archive/parts.ts'
import { limits } from '../limits.ts'
import { handleRule } from './shop.ts'

const count = z.int().min(0)
const row = z.record(z.string(), z.unknown())
const digest = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex')

/** The row of the part `shop`. What its values may be, auth decides, as for a new shop. */
const archivedShop = z.strictObject({
  id: z.guid(),
  handle: z.string(),
  name: z.string(),
  currency: z.string(),
  time_zone: z.string(),
  country: z.string().nullable(),
  owner_email: z.string().nullable(),
  plan: z.string(),
  mode: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
})

export const restoreInput = z.strictObject({
  handle: z
    .string()
    .max(limits.wordLengthMax)
    .meta({ ...handleRule, description: 'Handle of the shop that the restore makes.' }),
  archive: digest.meta({ description: 'SHA-256 of `manifest.json` in the archive, in hex.' }),
  version: z.int().meta({ description: 'Version of the format of the archive.' }),
  newIds: z.boolean().optional().meta({
    description: 'Every id becomes another one. Absent: where the shop of the archive is in this installation.',
  }),
  events: z.boolean().default(false).meta({ description: 'Restored events are sent to the webhook endpoints.' }),
  bytes: count.meta({ description: 'Bytes of all parts.' }),
  rows: z.partialRecord(z.enum(partNames), count).meta({ description: 'How many rows each part of the archive has.' }),
  shop: archivedShop.meta({ description: 'The row of the part `shop`.' }),
})

export const restoreBatch = z.strictObject({
  position: count.meta({ description: 'How many rows of the part come before these.' }),
  rows: z.array(row).min(1).max(limits.restoreBatchRows),
})

export type RestoreInput = z.output<typeof restoreInput>
export type RestoreBatch = z.output<typeof restoreBatch>
export type ArchivedShop = RestoreInput['shop']
export type RowCounts = Partial<Record<PartName, number>>
