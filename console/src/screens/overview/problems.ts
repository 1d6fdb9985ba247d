// What goes wrong in a shop, as sentences with a link to the cause: a table of rules, each of which looks at some of the facts. Pure.
import { momentOf } from '../../parts/time.ts'
import { deliveryRules } from './delivery-rules.ts'
import type { Facts } from './facts.ts'
import { keyRules } from './key-rules.ts'
import type { Naming, Problem, Rule } from './problem.ts'
import { requestRules } from './request-rules.ts'

export const rules: readonly Rule[] = [...requestRules, ...keyRules, ...deliveryRules]
export const SHOWN = 10

type Context = {
  zone: string
  now: Date
  /** What a key or an endpoint is called whose name is not known. */
  nameless(id: string): string
}

/** Newest first; `SHOWN` of them and whether there are more. */
export function problemsOf(facts: Facts, context: Context): { problems: Problem[]; areAll: boolean } {
  const naming = namingOf(facts, context)
  const found = rules
    .flatMap((rule) => (facts[rule.of] === null ? [] : rule.find(facts, naming)))
    .toSorted((one, other) => other.at - one.at)
  return { problems: found.slice(0, SHOWN), areAll: found.length <= SHOWN }
}

function namingOf({ keys, endpoints }: Facts, { zone, now, nameless }: Context): Naming {
  const keyNames = new Map(keys?.map(({ id, name }) => [id, name]))
  const urls = new Map(endpoints?.map(({ id, url }) => [id, url]))
  return {
    now,
    moment: (at) => momentOf(new Date(at), zone, now),
    keyName: (id) => keyNames.get(id) ?? nameless(id),
    url: (id) => urls.get(id) ?? nameless(id),
  }
}
