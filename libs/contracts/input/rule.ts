// Rules that code checks and JSON Schema cannot take from the code. docs/spec/reference.md#openapi-documents
import type { z } from 'zod'

/** Keywords of JSON Schema. Patterns use ASCII and `\s` only: not every language reads `\p{L}`. */
type Keywords = Readonly<Record<string, unknown>>
type Refusal = { error: string; path?: string[] }

/**
 * The schema with a rule, and the keywords by which the OpenAPI document says it. They may be looser than the rule, and refuse
 * nothing that the rule accepts; deploy/bodies.test.ts compares both.
 */
export function withRule<Schema extends z.ZodType>(
  schema: Schema,
  holds: (value: z.output<Schema>) => boolean,
  refusal: Refusal,
  keywords: Keywords,
): Schema {
  return schema.refine(holds, refusal).meta(keywords)
}

/** A text with a visible character. */
export const visiblePattern = '\\S'
/** A text of one line. */
export const oneLinePattern = '^[^\\r\\n]*$'
/** The code of a currency; the service compares it with that of the shop. */
export const currencyPattern = '^[A-Z]{3}$'
/** Blank, which means none, or the pattern without its anchors. */
export function orBlank(pattern: string): string {
  return `^(\\s*|${pattern})$`
}
