// Rules about calls that were refused or have failed in the last hour. Pure.
import { words } from '../../words/en.ts'
import { BUDGET, type Request } from './facts.ts'
import { groupBy, type Naming, type Problem, type Rule, type Target } from './problem.ts'

const text = words.problems

export const requestRules: readonly Rule[] = [
  {
    // By the use of the keys: the log keeps only ten requests a second.
    name: 'the budget of a key is used up',
    of: 'usage',
    find: ({ usage }, naming) =>
      groupBy(
        (usage ?? []).filter(({ refused }) => refused > 0),
        ({ keyId }) => keyId,
      ).map(([keyId, rows]) => {
        const minutes = rows.map(({ minute }) => Date.parse(minute))
        const number = rows.reduce((sum, { refused }) => sum + refused, 0)
        const since = naming.moment(Math.min(...minutes))
        return {
          id: `budget ${keyId}`,
          at: Math.max(...minutes),
          tone: 'warn',
          sentence: text.budget({ key: naming.keyName(keyId), number, since }, BUDGET),
          target: { name: 'requests', search: `?status=429&key=${keyId}` },
        }
      }),
  },
  {
    name: 'a key may not do what it is used for',
    of: 'requests',
    find: ({ requests }, naming) =>
      grouped(
        requests,
        ({ status }) => status === 403,
        why,
        naming,
        ({ calls, newest }) => text.notAllowed(calls, calledOf(newest), why(newest)),
      ),
  },
  {
    name: 'a key sends wrong requests, by route and field',
    of: 'requests',
    find: ({ requests }, naming) =>
      grouped(
        requests,
        ({ status }) => status === 400,
        fieldOf,
        naming,
        ({ calls, newest }) => text.badRequest(calls, calledOf(newest), why(newest)),
      ),
  },
  {
    name: 'a key is refused for another reason',
    of: 'requests',
    find: ({ requests }, naming) =>
      grouped(requests, isOtherRefusal, outcomeOf, naming, ({ calls, newest }) =>
        text.refused(calls, calledOf(newest), outcomeOf(newest)),
      ),
  },
  {
    name: 'a call fails for a reason of ours',
    of: 'requests',
    find: ({ requests }, naming) =>
      groupBy(
        (requests ?? []).filter(({ status }) => status >= 500),
        (request) => `${calledOf(request)} ${outcomeOf(request)}`,
      ).map(([name, group]) => ({
        id: `failed ${name}`,
        at: Date.parse(group[0].at),
        tone: 'warn',
        sentence: text.failed(
          calledOf(group[0]),
          { number: group.length, since: sinceOf(group, naming) },
          outcomeOf(group[0]),
        ),
        target: targetOf(group, `?status=${group[0].status}`),
      })),
  },
]

type Group = { calls: { key: string; number: number; since: string }; newest: Request }

// By key, by what was called, and by what `alike` says of each.
function grouped(
  requests: readonly Request[] | null,
  is: (request: Request) => boolean,
  alike: (request: Request) => string,
  naming: Naming,
  sentence: (group: Group) => Problem['sentence'],
): Problem[] {
  const chosen = (requests ?? []).filter(is)
  return groupBy(chosen, (request) => [request.status, request.keyId, calledOf(request), alike(request)].join(' ')).map(
    ([id, group]) => {
      const [newest] = group
      const calls = { key: naming.keyName(newest.keyId), number: group.length, since: sinceOf(group, naming) }
      return {
        id,
        at: Date.parse(newest.at),
        tone: 'warn',
        sentence: sentence({ calls, newest }),
        target: targetOf(group, `?status=${newest.status}&key=${newest.keyId}`),
      }
    },
  )
}

// One request by itself, several as the list of them.
function targetOf(group: readonly [Request, ...Request[]], search: string): Target {
  return group.length === 1 ? { name: 'requests', id: group[0].id } : { name: 'requests', search }
}

function sinceOf(group: readonly Request[], naming: Naming): string {
  return naming.moment(Math.min(...group.map(({ at }) => Date.parse(at))))
}

function isOtherRefusal({ status }: Request): boolean {
  return status >= 402 && status < 500 && status !== 403 && status !== 429
}

function calledOf({ method, route, tool }: Request): string {
  return tool ?? `${method} ${route ?? words.overview.unknownPath}`
}

function outcomeOf({ status, code }: Request): string {
  return code === null ? String(status) : `${status} ${code}`
}

// The words of the API without the full stop.
function why({ message, code, status }: Request): string {
  return (message ?? code ?? String(status)).replace(/\.$/, '')
}

// A message begins with the field that is wrong; where it names none it stands for itself.
function fieldOf(request: Request): string {
  return /^[\w.[\]-]+(?=:? )/.exec(request.message ?? '')?.[0] ?? why(request)
}
