// Collects garbage at a moment that a test chooses, to tell retained memory from memory that waits for the collector.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Collects all that nothing holds any more, before it returns. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
