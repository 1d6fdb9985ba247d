// What all stories share: keys in rotation, the checks of a response, the bounds, and the readable report.
// Settings come from the environment of k6: BASE_URLS, MCP_URLS (comma-separated), KEYS (a file with an API key with write access on each
// line), RATE (a second), SECONDS, P95_MS.
import { check } from 'k6'
import exec from 'k6/execution'

export const bases = listOf('BASE_URLS', 'http://127.0.0.1:3000')
export const mcps = listOf('MCP_URLS', bases.join(','))
const keys = __ENV.KEYS ? open(__ENV.KEYS).match(/\S+/g) : []
const seconds = Number(__ENV.SECONDS || 10)
const rate = Number(__ENV.RATE || 10)

const summaryTrendStats = ['avg', 'med', 'p(95)', 'p(99)', 'max']
const always = { checks: ['rate==1'], http_req_failed: ['rate==0'] }

/** Options of a story at a steady rate; what fails, is slow or is wrong ends the run with an error. */
export function steady(story, share = 1) {
  const perSecond = { rate: Math.max(1, Math.round(rate * share)), timeUnit: '1s', duration: `${seconds}s` }
  const users = { preAllocatedVUs: 20, maxVUs: 200, gracefulStop: '15s' }
  return {
    scenarios: { [story]: { executor: 'constant-arrival-rate', ...perSecond, ...users } },
    thresholds: {
      ...always,
      http_req_duration: [`p(95)<${Number(__ENV.P95_MS || 500)}`],
      dropped_iterations: ['count<10'],
    },
    summaryTrendStats,
  }
}

/** Options of a story in which ten clients do five seconds' worth of the rate as fast as they are answered. */
export function burst(story) {
  const iterations = { vus: 10, iterations: rate * 5, maxDuration: `${seconds + 60}s` }
  return {
    scenarios: { [story]: { executor: 'shared-iterations', ...iterations } },
    thresholds: always,
    summaryTrendStats,
  }
}

// Rotates over all keys, so that each stays within its budget of 240 calls a minute.
function rotate(list) {
  return list[exec.scenario.iterationInTest % list.length]
}

export function base() {
  return rotate(bases)
}

export function mcp() {
  return rotate(mcps)
}

export function headers() {
  return { authorization: `Bearer ${rotate(keys)}`, 'content-type': 'application/json' }
}

/** The body of a response, after checks of what every response has; null when one failed. */
export function opened(response, status = 200) {
  const isFine = check(response, {
    [`status is ${status}`]: (answer) => answer.status === status,
    'has a request id': (answer) => answer.headers['X-Request-Id'] !== undefined,
    'says its version': (answer) => answer.headers['Service-Version'] !== undefined,
    'shows its budget': (answer) => answer.headers.Ratelimit !== undefined,
  })
  return isFine ? response.json() : null
}

/** What k6 prints at the end: one block a story, and the bounds that broke. */
export function handleSummary(data) {
  const { metrics } = data
  const value = (name, part) => metrics[name]?.values[part] ?? 0
  const ms = (part) => `${value('http_req_duration', part).toFixed(1)} ms`
  const broken = Object.entries(metrics).flatMap(([name, { thresholds = {} }]) =>
    Object.entries(thresholds)
      .filter(([, { ok }]) => !ok)
      .map(([bound]) => `${name} ${bound}`),
  )
  const lines = [
    `${Object.keys(exec.test.options.scenarios).join(', ')}`,
    `  requests      ${value('http_reqs', 'count')} (${value('http_reqs', 'rate').toFixed(1)} a second)`,
    `  duration      median ${ms('med')}, p95 ${ms('p(95)')}, p99 ${ms('p(99)')}, longest ${ms('max')}`,
    `  failed        ${value('http_req_failed', 'passes')} requests, ${value('checks', 'fails')} checks`,
    broken.length === 0 ? '  all bounds hold' : `  BROKEN        ${broken.join('; ')}`,
  ]
  return { stdout: `${lines.join('\n')}\n\n` }
}

function listOf(name, fallback) {
  return (__ENV[name] || fallback).split(',')
}
