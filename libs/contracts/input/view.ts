// A view of the console as an operator saves it: docs/spec/operators-and-roles.md#views.
import { z } from 'zod'
import { limits } from '../limits.ts'
import { readOnly } from './fields.ts'
import { withRule } from './rule.ts'
import { hasVisibleText, isStorable, trimInvisible, unstorable } from './text.ts'

/** The name of a view in a path. One spelling: trimmed, in NFC. */
export const viewName = z
  .string()
  .max(limits.wordLengthMax)
  .refine(isStorable, { error: unstorable })
  .transform((text) => trimInvisible(text.normalize('NFC')))
  .refine((text) => hasVisibleText(text) && !/\p{Cc}/u.test(text), {
    error: 'must be visible text without control characters',
  })
  .refine((text) => text.length <= limits.viewNameLengthMax, {
    error: `must be at most ${limits.viewNameLengthMax} characters long`,
  })
  .meta({ description: `Name of the view: visible text of at most ${limits.viewNameLengthMax} characters.` })

// A browser reads `//` and `/\` as the beginning of another origin.
const pathPattern = '^/([^/\\s\\\\][^\\s\\\\]*)?$'
const isPath = new RegExp(pathPattern)

const path = withRule(
  z.string().max(limits.viewPathBytesMax, { abort: true }).refine(isStorable, { error: unstorable, abort: true }),
  (text) =>
    isPath.test(text) && !/\p{Cc}/u.test(text) && new TextEncoder().encode(text).length <= limits.viewPathBytesMax,
  {
    error: `must be a path of the console of at most ${limits.viewPathBytesMax} bytes, such as /s/demo/orders?status=new: one slash first, no spaces, backslashes or control characters`,
  },
  { pattern: pathPattern },
)

export const viewInput = z.strictObject({
  id: readOnly,
  object: readOnly,
  name: readOnly,
  path,
  createdAt: readOnly,
  updatedAt: readOnly,
})
