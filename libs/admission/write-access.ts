// Owns the rule who may write. Spec: Authentication, rule 4. Asked before a body is read, by every gateway.
import type { Caller } from '#contracts/caller'
import { refuse } from '#contracts/errors'

/** Refuses forbidden where the key reads only. */
export function requireWrite(caller: Caller | undefined): void {
  if (caller?.canWrite === true) return
  throw refuse('forbidden', 'This API key reads only. A key with write access is needed.')
}
