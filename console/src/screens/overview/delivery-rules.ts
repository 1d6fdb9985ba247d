// Rules about webhook endpoints and their deliveries. Pure.
import { words } from '../../words/en.ts'
import { type Endpoint, MINUTE_MS } from './facts.ts'
import { groupBy, type Naming, type Problem, type Rule } from './problem.ts'

const text = words.problems
/** An event that is undelivered for longer is a problem. */
const LATE_MS = 10 * MINUTE_MS

export const deliveryRules: readonly Rule[] = [
  {
    name: 'an endpoint fails',
    of: 'endpoints',
    find: ({ endpoints }, naming) =>
      chosen(
        endpoints,
        ({ enabled, failingSince }) => (enabled ? failingSince : null),
        'warn',
        naming,
        (facts, one) => text.failing(facts, one.lastError),
      ),
  },
  {
    name: 'an endpoint was turned off because it failed',
    of: 'endpoints',
    find: ({ endpoints }, naming) =>
      chosen(endpoints, offBy('failing'), 'warn', naming, (facts, one) => text.disabled(facts, one.lastError)),
  },
  {
    name: 'an endpoint was turned off because its receiver is gone',
    of: 'endpoints',
    find: ({ endpoints }, naming) => chosen(endpoints, offBy('gone'), 'warn', naming, text.gone),
  },
  {
    name: 'an endpoint is paused, and events are held for it',
    of: 'endpoints',
    find: ({ endpoints }, naming) => chosen(endpoints, offBy('manual'), 'wait', naming, text.paused),
  },
  {
    name: 'a receiver asks to wait',
    of: 'endpoints',
    find: ({ endpoints }, naming) =>
      chosen(
        endpoints?.filter(({ enabled, pausedUntil }) => enabled && isAfter(pausedUntil, naming.now)) ?? null,
        ({ pausedUntil }) => pausedUntil,
        'wait',
        naming,
        text.asksToWait,
      ),
  },
  {
    name: 'deliveries were given up',
    of: 'deliveries',
    find: ({ deliveries }, { url, moment }) =>
      groupBy(deliveries?.failed ?? [], ({ endpointId }) => endpointId).map(([endpointId, group]) => {
        const times = group.map(({ happenedAt }) => Date.parse(happenedAt))
        const isCut = deliveries?.isFailedCut === true
        return {
          id: `gave up ${endpointId}`,
          at: Math.max(...times),
          tone: 'warn',
          sentence: text.gaveUp(url(endpointId), group.length, isCut, moment(Math.min(...times))),
          target:
            group.length === 1
              ? { name: 'deliveries', id: group[0].id, search: `?endpoint=${endpointId}` }
              : { name: 'deliveries', search: `?endpoint=${endpointId}&status=failed` },
        }
      }),
  },
  {
    name: 'an event is undelivered for long',
    of: 'deliveries',
    find({ deliveries }, { url, moment, now }) {
      const oldest = deliveries?.oldest ?? null
      if (oldest === null || now.getTime() - Date.parse(oldest.happenedAt) <= LATE_MS) return []
      const { id, endpointId, event, happenedAt } = oldest
      return [
        {
          id: `undelivered ${id}`,
          at: Date.parse(happenedAt) + LATE_MS,
          tone: 'warn',
          sentence: text.undelivered(url(endpointId), event, moment(happenedAt)),
          target: { name: 'deliveries', id, search: `?endpoint=${endpointId}` },
        },
      ]
    },
  },
]

type Words = { url: string; since: string; waiting: number }

// `since`: from when on the rule holds for an endpoint; null where it does not.
function chosen(
  endpoints: readonly Endpoint[] | null,
  since: (endpoint: Endpoint) => string | null,
  tone: Problem['tone'],
  { moment, now }: Naming,
  sentence: (facts: Words, endpoint: Endpoint) => Problem['sentence'],
): Problem[] {
  return (endpoints ?? []).flatMap((endpoint) => {
    const at = since(endpoint)
    if (at === null) return []
    const { id, url, waiting } = endpoint
    return [
      {
        id: `endpoint ${tone} ${id}`,
        at: Math.min(Date.parse(at), now.getTime()), // A pause ends later.
        tone,
        sentence: sentence({ url, since: moment(at), waiting }, endpoint),
        target: { name: 'webhooks', id },
      },
    ]
  })
}

function offBy(reason: string): (endpoint: Endpoint) => string | null {
  return ({ enabled, disabledReason, disabledAt }) => (!enabled && disabledReason === reason ? disabledAt : null)
}

function isAfter(at: string | null, now: Date): boolean {
  return at !== null && Date.parse(at) > now.getTime()
}
