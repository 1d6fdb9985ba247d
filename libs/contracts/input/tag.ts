// Owns the normal form of a tag, of contacts and of products alike.
// Spec: product (`tags`: lowercased and trimmed); POST /contacts/{id}/tags, rule 3. security-and-faults.md, row "Tags".
import { trimInvisible } from './text.ts'

/** NFC, nothing invisible at the ends, lower case. The normal form of a normal form is itself; '' when nothing is left. */
export function normalTag(text: string): string {
  // Lower case may leave pairs that compose (`J̌` to `ǰ`), hence the second NFC.
  return trimInvisible(text.normalize('NFC')).toLowerCase().normalize('NFC')
}
