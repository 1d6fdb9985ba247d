// Owns the collection of garbage at a moment that a test chooses: what is kept and what only waits is not told apart else.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Collects all that nothing holds any more, before it returns. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
