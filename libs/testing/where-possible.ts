// Tests that need something a machine may lack: they run, or one line on stderr says that they did not and why.
import { describe } from '@jest/globals'

/** `describe` where it can run, else its skipping form after a loud line on stderr. */
export function describeWhere(possible: boolean, reason: string): typeof describe | typeof describe.skip {
  if (possible) return describe
  process.stderr.write(`\n*** NOT TESTED: ${reason} ***\n\n`)
  return describe.skip
}
