// Tests that need something which a machine may lack. `npm test` lists those that were skipped, with the reason in their name.
import { describe } from '@jest/globals'

type Describe = (name: string, tests: () => void) => void

/** `describe` where the tests can run; else they are skipped and `reason` is part of their name. */
export function describeWhere(possible: boolean, reason: string): Describe {
  const { skip }: { skip: Describe } = describe
  return possible ? describe : (name, tests) => skip(`${name} (SKIPPED: ${reason})`, tests)
}
