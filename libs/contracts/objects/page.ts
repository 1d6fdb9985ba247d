// Owns the envelope: one object, a page of objects, a failure.
// Spec: Envelope (every endpoint).
import { z } from 'zod'

export function single(object: z.ZodType) {
  return z.object({ data: object })
}

export function page(object: z.ZodType) {
  return z.object({ data: z.array(object), has_more: z.boolean(), next_cursor: z.string().nullable() })
}

export const failure = z.object({ error: z.object({ code: z.string(), message: z.string() }) }).meta({ id: 'Failure' })
