// The texts of the shops, of the overview and of graphs in English.
import { count } from './en-count.ts'

/** A sentence in pieces; what is strong is a name. */
export type Sentence = readonly (string | { strong: string })[]
const strong = (text: string) => ({ strong: text })
const when = ({ number, since }: { number: number; since: string }) =>
  number === 1 ? `at ${since}` : `${number.toLocaleString('en')} times since ${since}`
const waits = (number: number) => count(number, 'delivery waits', 'deliveries wait')
const held = (number: number) => (number === 0 ? '' : `; ${count(number, 'delivery is', 'deliveries are')} held`)

const part = (number: number, kind: string) => (number === 0 ? null : `${number.toLocaleString('en')} ${kind}`)

/** What happened how often to the calls of a key. */
type Calls = { key: string; number: number; since: string }
type EndpointFacts = { url: string; since: string; waiting: number }

export const overviewWords = {
  allShops: {
    columns: {
      name: 'Shop',
      requests: 'Requests, last hour',
      failed: 'Refused or failed',
      endpoints: 'Endpoints',
      currency: 'Currency',
      mode: 'Mode',
      created: 'Created',
    },
    failed: (number: number) => `${number.toLocaleString('en')} refused or failed`,
    noRequests: 'no request',
    noFailures: 'none failed',
    noEndpoint: 'no endpoint',
    inOrder: (number: number) => (number === 1 ? 'on' : `${number} on`),
    inTrouble: (urls: readonly string[]) => `${urls.length} in trouble: ${urls.join(', ')}`,
    off: (number: number) => `${number} off`,
    useOf: (calls: number, failed: number) =>
      `${count(calls, 'request', 'requests')}, ${failed.toLocaleString('en')} not answered 2xx`,
    empty: 'No shop yet.',
    deletion: {
      title: 'Delete this shop',
      about:
        'This cannot be taken back. Keys and deliveries end at once; orders, products, contacts, memberships and events are deleted in the background. The audit stays.',
      field: (handle: string) => `Type ${handle} to confirm`,
      submit: (name: string) => `Delete ${name}`,
    },
    create: 'Create a shop',
    submit: 'Create the shop',
    fields: {
      name: 'Name',
      handle: 'Handle',
      handleHint: 'It stands in the addresses of the console: lowercase letters, digits and hyphens.',
      currency: 'Currency',
      currencyHint: 'It never changes.',
      timeZone: 'Time zone',
      country: 'Country',
      countryHint: 'Two letters, such as GB. It may be empty.',
      ownerEmail: 'Email of its owner',
      ownerEmailHint: 'Notices about webhooks go there. It may be empty.',
      plan: 'Plan',
      mode: 'Mode',
    },
    plans: { pro: 'pro: with the API', basic: 'basic: without the API' },
    modes: { live: 'live', test: 'test: nothing in it is real' },
  },
  overview: {
    asOf: (clock: string) => `As of ${clock}`,
    parts: {
      numbers: 'The last hour',
      problems: 'Problems',
      graphs: 'Requests a minute by key',
      speed: '95 % answered within',
    },
    tiles: {
      requests: 'Requests',
      errors: 'Refused or failed',
      p95: '95 % answered within',
      deliveries: 'Deliveries',
      oldest: 'Oldest undelivered',
    },
    split: (rest: number, mcp: number) => `${rest.toLocaleString('en')} REST · ${mcp.toLocaleString('en')} MCP`,
    noRequests: 'no request',
    noErrors: 'none',
    percent: (part: number, whole: number) => {
      const share = (part / whole) * 100
      return `${share > 0 && share < 0.1 ? '< 0.1' : share.toLocaleString('en', { maximumFractionDigits: 1 })} %`
    },
    errorKinds: ({ over, refused, failed }: { over: number; refused: number; failed: number }) =>
      [part(over, 'over budget'), part(refused, 'refused'), part(failed, 'failed')]
        .filter((kind) => kind !== null)
        .join(' · '),
    ms: (ms: number) => `${Math.round(ms).toLocaleString('en')} ms`,
    slowest: (ms: number, clock: string) =>
      `in the median minute; ${Math.round(ms).toLocaleString('en')} ms at ${clock}`,
    oneMinute: (clock: string) => `in the minute of ${clock}`,
    delivered: (number: number, isCut: boolean) => `${number.toLocaleString('en')}${isCut ? '+' : ''} delivered`,
    undelivered: (failed: number, waiting: number) =>
      [failed > 0 ? `${failed.toLocaleString('en')} failing` : 'none failing', waiting > 0 ? waits(waiting) : '']
        .filter((part) => part !== '')
        .join(' · '),
    noDeliveries: 'no event',
    noEndpoint: 'no endpoint',
    allDelivered: 'nothing waits',
    unknownPath: 'an unknown path',
    ofEvent: (event: string, isCut: boolean) => `of ${event}${isCut ? ', or an older one' : ''}`,
    calm: 'Nothing has failed in the last hour.',
    notAll: (parts: readonly string[]) => `Not looked at: ${parts.join(', ')}.`,
    sources: {
      usage: 'calls',
      requests: 'refused requests',
      keys: 'keys',
      endpoints: 'endpoints',
      deliveries: 'deliveries',
    },
    news: 'There is news; show it',
    older: 'Older ones are not shown.',
    noCalls: 'No key was used in the last hour.',
    quiet: (keys: readonly string[]) => `No call in the last hour: ${keys.join(', ')}.`,
    begin: {
      title: 'How to begin',
      about: 'Nothing has called this shop yet.',
      key: 'Make a key',
      keyAbout: 'A program needs one to call the API or the MCP endpoint.',
      import: 'Import what you have',
      importAbout: 'Products, contacts and orders from a file of another shop system.',
      endpoint: 'Add an endpoint',
      endpointAbout: 'An address of yours that gets a signed request for every event.',
      order: 'Place a test order',
      orderAbout: 'It fires its events like any other order.',
      done: 'done',
    },
  },
  problems: {
    budget: (calls: Calls, budget: number): Sentence => [
      'Key ',
      strong(calls.key),
      ` was refused ${when(calls)}: ${budget} calls a minute are used up`,
    ],
    notAllowed: (calls: Calls, called: string, why: string): Sentence => [
      'Key ',
      strong(calls.key),
      ` was refused ${when(calls)} for ${called}: ${why}`,
    ],
    badRequest: (calls: Calls, called: string, why: string): Sentence => [
      'Key ',
      strong(calls.key),
      ` sent ${calls.number === 1 ? 'a wrong request' : `${calls.number} wrong requests`} to ${called} ${calls.number === 1 ? 'at' : 'since'} ${calls.since}: ${why}`,
    ],
    refused: (calls: Calls, called: string, why: string): Sentence => [
      'Key ',
      strong(calls.key),
      ` was answered ${why} ${when(calls)} for ${called}`,
    ],
    failed: (called: string, calls: { number: number; since: string }, why: string): Sentence => [
      strong(called),
      ` failed ${when(calls)} with ${why}`,
    ],
    expired: (key: string, when: string): Sentence => [
      'Key ',
      strong(key),
      ` expired at ${when}: its calls are refused`,
    ],
    expires: (key: string, when: string): Sentence => [
      'Key ',
      strong(key),
      ` expires at ${when}: its calls are refused from then on`,
    ],
    failing: ({ url, since, waiting }: EndpointFacts, error: string | null): Sentence => [
      'Endpoint ',
      strong(url),
      ` has been failing since ${since}${error === null ? '' : `, last with ${error}`}; ${waits(waiting)}`,
    ],
    disabled: ({ url, since, waiting }: EndpointFacts, error: string | null): Sentence => [
      'Endpoint ',
      strong(url),
      ` was turned off at ${since} because every attempt failed${error === null ? '' : `, last with ${error}`}${held(waiting)}`,
    ],
    gone: ({ url, since, waiting }: EndpointFacts): Sentence => [
      'Endpoint ',
      strong(url),
      ` was turned off at ${since} because its receiver answered 410${held(waiting)}`,
    ],
    paused: ({ url, since, waiting }: EndpointFacts): Sentence => [
      'Endpoint ',
      strong(url),
      ` has been paused since ${since}${held(waiting)}`,
    ],
    asksToWait: ({ url, since, waiting }: EndpointFacts): Sentence => [
      'Endpoint ',
      strong(url),
      ` has asked to wait until ${since}; ${waits(waiting)}`,
    ],
    gaveUp: (url: string, number: number, isCut: boolean, since: string): Sentence => [
      `${isCut ? 'At least ' : ''}${count(number, 'delivery', 'deliveries')} to `,
      strong(url),
      ` failed for good; the oldest is of ${since}`,
    ],
    undelivered: (url: string, event: string, since: string): Sentence => [
      `${event} of ${since} is not delivered yet to `,
      strong(url),
    ],
  },
  graph: {
    asTable: 'As table',
    rest: 'REST',
    mcp: 'MCP',
    refused: 'over budget',
    budget: (calls: number) => `${calls} a minute`,
    minute: 'Minute',
    over: 'Over budget',
    p95: '95 % within',
    total: 'Last hour',
    minutesOf: (key: string) => `Requests of ${key} by the minute`,
    valueOf: ({ rest, mcp, refused }: { rest: number; mcp: number; refused: number }) =>
      `${rest.toLocaleString('en')} REST, ${mcp.toLocaleString('en')} MCP, ${refused.toLocaleString('en')} over budget`,
    none: 'no call',
    slowestKey: 'Of the slowest key in each minute',
  },
} as const
