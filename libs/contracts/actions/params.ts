// Owns the params that several actions share: paging, instants, ids.
// Spec: Paging rules. Additive: created_after, created_before, updated_after, updated_before (half-open ranges).
import { z } from 'zod'
import { limits } from '../limits.ts'

/** An RFC 3339 instant -> Date. Stored instants have milliseconds, so finer digits round up: no row changes sides. */
export const instantParam = z
  .string()
  .max(40)
  .refine((text) => RFC3339.test(text) && isDay(text) && !Number.isNaN(Date.parse(text)), {
    message: 'must be an instant in RFC 3339 form, for example 2026-08-12T09:30:00Z',
  })
  .transform((text) => {
    const finer = /\.\d{3}(\d*[1-9]\d*)/.test(text)
    return new Date(Date.parse(text) + (finer ? 1 : 0))
  })
  .meta({ format: 'date-time' })

// The language reads 30 February as 2 March; here it is no instant.
function isDay(text: string): boolean {
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10))
}

const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/

/** Answers `{ versions }`, one number for each shop: another one as soon as a page of the list may be another. */
export const versionsParams = z.object({ shop_ids: z.array(z.guid()).min(1).max(limits.versionsAtOnce) })
export const pageParams = {
  limit: z
    .int()
    .refine((limit) => limit >= 1, 'must be a positive integer')
    .optional()
    .meta({
      minimum: 1,
      description: `Rows of a page; ${limits.pageDefault} when absent, more than ${limits.pageMax} is read as ${limits.pageMax}.`,
    }),
  cursor: z
    .string()
    .max(512)
    .optional()
    .meta({ description: '`next_cursor` of the page before; absent for the first page.' }),
}

export const timeParams = {
  created_after: instantParam.optional().meta({ description: 'Only objects created at or after this instant.' }),
  created_before: instantParam.optional().meta({ description: 'Only objects created before this instant.' }),
  updated_after: instantParam.optional().meta({ description: 'Only objects changed at or after this instant.' }),
  updated_before: instantParam.optional().meta({ description: 'Only objects changed before this instant.' }),
}

/** An id in a path, whatever text it is, since an id that is no UUID is simply an id that nobody has. */
export const idParam = z.object({ id: z.string().meta({ description: 'Id of the object, a UUID.' }) })

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether a text can be an id at all; the database refuses to compare others. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}

/** A search word: text as it came, refused when the database could not hold it. */
export const wordParam = (max: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(max)
    .refine((text) => text.isWellFormed() && !text.includes('\u0000'), {
      message: 'must be text without U+0000 or broken characters',
    })
