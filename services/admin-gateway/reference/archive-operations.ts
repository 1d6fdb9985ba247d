// The operations of archives and restores in the OpenAPI document. docs/spec/archives.md#api
import { z } from 'zod'
import { partNames } from '#contracts/archive/parts'
import {
  ARCHIVE_PATH,
  RESTORE_FINISH_PATH,
  RESTORE_PART_PATH,
  RESTORE_PATH,
  RESTORES_PATH,
} from '#contracts/archive/paths'
import { actions } from '#contracts/actions'
import { emptyInput } from '#contracts/input/fields'
import { restoreBatch, restoreInput } from '#contracts/input/restore'
import { limits } from '#contracts/limits'
import { restore, restorePreview, storedBatch } from '#contracts/archive/restore'
import { single } from '#contracts/objects/scalar'
import type { Operation } from '#schema/openapi'
import { JSON_BODY, shop } from './session-operations.ts'

const id = z.string().meta({ description: 'Id of the restore, a UUID.' })
const part = z.enum(partNames).meta({ description: 'Name of the part.' })
const failures = [400, 401, 403, 404, 429, 500, 503]
const ofRestore = { tag: 'Restores', answers: single(restore), failures: [...failures, 409], statuses: [200] } as const

export const archiveOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: ARCHIVE_PATH,
    id: 'archivesOpen',
    tag: 'Archive',
    about: 'The rows of a part of the archive of a shop, one line of JSON each. Owners only.',
    params: z.object({
      shop,
      part,
      after: z.string().optional().meta({ description: 'Key of the last row that the caller has.' }),
    }),
    body: null,
    answers: z.string(),
    contentType: 'text/plain',
    statuses: [200],
    failures,
  },
  {
    ...ofRestore,
    method: 'POST',
    path: RESTORES_PATH,
    id: 'restoresBegin',
    about:
      'Begins to restore an archive (201), or finds the restore of it that is there (200). A dry run checks only. Owners only.',
    params: z.object({ dry_run: actions['restores.begin'].shape.dry_run }),
    body: { description: JSON_BODY, required: true, schema: restoreInput },
    answers: single(z.union([restore, restorePreview])),
    statuses: [200, 201],
  },
  {
    ...ofRestore,
    method: 'GET',
    path: RESTORE_PATH,
    id: 'restoresGet',
    about: 'One restore with how many rows of each part are stored. Owners only.',
    params: z.object({ id }),
    body: null,
    failures,
  },
  {
    ...ofRestore,
    method: 'POST',
    path: RESTORE_PART_PATH,
    id: 'restoresAdvance',
    about: 'Stores rows of a part; those that are stored already stay as they are. Owners only.',
    params: z.object({ id, part }),
    body: {
      description: `A JSON object of at most ${limits.restoreBodyBytesMax} bytes; a field that it does not have is refused.`,
      required: true,
      schema: restoreBatch,
    },
    answers: single(storedBatch),
  },
  {
    ...ofRestore,
    method: 'POST',
    path: RESTORE_FINISH_PATH,
    id: 'restoresFinish',
    about: 'Makes the shop when all rows are stored. Owners only.',
    params: z.object({ id }),
    body: { description: 'Nothing, or an empty object.', required: false, schema: emptyInput },
  },
]
