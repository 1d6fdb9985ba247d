// A problem of a shop, and what a rule gets to find it.
import type { Sentence } from '../../words/en-overview.ts'
import type { Facts } from './facts.ts'

/** Where the cause is seen. */
export type Target = { name: 'requests' | 'keys' | 'webhooks' | 'deliveries'; id?: string; search?: string }
export type Problem = {
  /** Tells it from the others. */
  id: string
  /** When it happened last, or began, in milliseconds. */
  at: number
  /** It has not happened yet: the list shows no time. */
  isAhead?: true
  /** `wait`: it needs no hurry. */
  tone: 'warn' | 'wait'
  sentence: Sentence
  target: Target
}
/** The time, and how the sentences name things. */
export type Naming = {
  now: Date
  /** The shop's clock. */
  moment(at: string | number): string
  keyName(id: string): string
  url(endpointId: string): string
}
export type Rule = {
  name: string
  /** The facts that it looks at; it is not asked while one is not there. */
  of: keyof Facts
  find(facts: Facts, naming: Naming): Problem[]
}

/** Groups by what `keyOf` names, in the order of the first of each. */
export function groupBy<One>(
  all: readonly One[],
  keyOf: (one: One) => string,
): [key: string, group: [One, ...One[]]][] {
  const groups = new Map<string, [One, ...One[]]>()
  for (const one of all) {
    const group = groups.get(keyOf(one))
    if (group === undefined) groups.set(keyOf(one), [one])
    else group.push(one)
  }
  return [...groups]
}
