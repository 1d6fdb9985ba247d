// Owns asking running processes how they are, for health checks where no HTTP client is at hand: the image's own one.
// node deploy/image/probe.ts [--wait <seconds>] <url>[=<status>[,<status>]] ...    Ends with 0 when every answer is as expected
// (200 where nothing is said) within the wait; else with 1 and one line for each that is not.
import { parseArgs } from 'node:util'

type Target = { url: string; statuses: number[] }

const PAUSE_MS = 250
const ANSWER_MS = 3_000

const { values, positionals } = parseArgs({
  options: { wait: { type: 'string', default: '0' } },
  allowPositionals: true,
})
const until = Date.now() + Number(values.wait) * 1_000
const problems = await Promise.all(positionals.map((text) => settle(targetOf(text))))
for (const problem of problems) if (problem !== null) process.stderr.write(`${problem}\n`)
process.exitCode = positionals.length > 0 && problems.every((problem) => problem === null) ? 0 : 1

function targetOf(text: string): Target {
  const [, url = text, statuses = '200'] = /^(.*)=([\d,]+)$/.exec(text) ?? []
  return { url, statuses: statuses.split(',').map(Number) }
}

async function settle(target: Target): Promise<string | null> {
  for (;;) {
    const problem = await problemOf(target)
    if (problem === null || Date.now() > until) return problem
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

async function problemOf({ url, statuses }: Target): Promise<string | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS), redirect: 'manual' })
    const text = await response.text()
    if (statuses.includes(response.status)) return null
    return `${url} answered ${response.status}: ${text.trim().slice(0, 200)}`
  } catch (error) {
    return `${url} does not answer: ${error instanceof Error ? error.message : String(error)}`
  }
}
