// A restore of an archive as the back office answers it. docs/spec/archives.md#restore
import { z } from 'zod'
import { instant, openEnumeration, uuid } from '../objects/scalar.ts'

export const restoreStatuses = ['running', 'completed'] as const

export const restore = z
  .object({
    id: uuid,
    object: z.literal('restore'),
    status: openEnumeration(restoreStatuses, 'The shop exists once the restore is completed.'),
    shopId: uuid.meta({ description: 'Id of the shop that the restore makes.' }),
    handle: z.string(),
    archive: z.string().meta({ description: 'SHA-256 of `manifest.json` in the archive, in hex.' }),
    newIds: z.boolean(),
    events: z.boolean().meta({ description: 'Whether restored events are sent to the webhook endpoints.' }),
    parts: z.record(
      z.string(),
      z.object({
        rows: z.int().meta({ description: 'Rows of the part in the archive.' }),
        position: z.int().meta({ description: 'How many of them are stored.' }),
      }),
    ),
    createdAt: instant,
    updatedAt: instant,
    finishedAt: instant.nullable(),
  })
  .meta({ id: 'Restore' })

/** What a dry run answers. */
export const restorePreview = z
  .object({
    object: z.literal('restore_preview'),
    handle: z.string(),
    newIds: z.boolean(),
    neededBytes: z.int().meta({ description: 'Estimate of the room that the rows need in the database.' }),
    freeBytes: z
      .int()
      .nullable()
      .meta({ description: 'Free room on the disk of the database; null where it is another machine’s.' }),
  })
  .meta({ id: 'RestorePreview' })

/** The answer to a batch of rows. */
export const storedBatch = z
  .object({
    object: z.literal('restore_batch'),
    part: z.string(),
    position: z.int().meta({ description: 'How many rows of the part are stored.' }),
  })
  .meta({ id: 'RestoreBatch' })

export type Restore = z.infer<typeof restore>
export type RestorePreview = z.infer<typeof restorePreview>
