// Rules about keys that expire. Pure.
import { words } from '../../words/en.ts'
import { DAY_MS, type Key } from './facts.ts'
import type { Problem, Rule } from './problem.ts'

const text = words.problems
const NOTICE_MS = 7 * DAY_MS // Before and after its end.

export const keyRules: readonly Rule[] = [
  {
    // The log has no call of such a key: it is answered 401 like a key that nobody knows.
    name: 'a key that was used has expired',
    of: 'keys',
    find: ({ keys }, { now, moment }) =>
      ending(keys, -NOTICE_MS, 0, now)
        .filter(({ lastUsedAt }) => lastUsedAt !== null)
        .map(({ id, name, end }) => ({
          ...problem(id, 'expired'),
          at: end,
          tone: 'warn',
          sentence: text.expired(name, moment(end)),
        })),
  },
  {
    name: 'a key expires soon',
    of: 'keys',
    find: ({ keys }, { now, moment }) =>
      ending(keys, 0, NOTICE_MS, now).map(({ id, name, end }) => ({
        ...problem(id, 'expires'),
        at: end - NOTICE_MS,
        isAhead: true,
        tone: 'wait',
        sentence: text.expires(name, moment(end)),
      })),
  },
]

function problem(keyId: string, what: string): Pick<Problem, 'id' | 'target'> {
  return { id: `${what} ${keyId}`, target: { name: 'keys', id: keyId } }
}

// Keys that are not revoked and end more than `after` and at most `until` from now.
function ending(keys: readonly Key[] | null, after: number, until: number, now: Date): (Key & { end: number })[] {
  return (keys ?? []).flatMap((key) => {
    if (key.expiresAt === null || key.revokedAt !== null) return []
    const end = Date.parse(key.expiresAt)
    const left = end - now.getTime()
    return left > after && left <= until ? [{ ...key, end }] : []
  })
}
