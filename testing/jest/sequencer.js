// Starts the longest files first, so that the end of a run does not wait for one of them. Jest knows how long they take from earlier
// runs only, which a fresh clone lacks; it then starts the largest files first.
import Sequencer from '@jest/test-sequencer'

const longest = [
  ...['loadtest/k6/load', 'deploy/dev/process-end', 'cli/storefront', 'services/webhooks/delivery/crash'],
  ...['services/webhooks/notices/notices', 'services/admin-gateway/outbox', 'libs/postgres/embedded/embedded'],
]

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const isLong = ({ path }) => longest.some((name) => path.endsWith(`${name}.test.ts`))
    const sorted = super.sort(tests)
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))]
  }
}
