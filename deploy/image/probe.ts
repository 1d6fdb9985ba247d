// node deploy/image/probe.ts [--wait <seconds>] <url>[=<status>[,<status>]] ...: the health check of the image, which has no HTTP
// client. Exit status 0 when every URL responds with a given status (200 by default) within the wait, else 1 and a line each.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

type Target = { url: string; statuses: number[] }

const RETRY_MS = 250
const TIMEOUT_MS = 3_000

const { values, positionals } = parseArgs({
  options: { wait: { type: 'string', default: '0' } },
  allowPositionals: true,
})
const until = Date.now() + Number(values.wait) * 1_000
const problems = await Promise.all(positionals.map((text) => waitFor(targetOf(text))))
for (const problem of problems) if (problem !== null) process.stderr.write(`${problem}\n`)
process.exitCode = positionals.length > 0 && problems.every((problem) => problem === null) ? 0 : 1

function targetOf(text: string): Target {
  const [, url = text, statuses = '200'] = /^(.*)=([\d,]+)$/.exec(text) ?? []
  return { url, statuses: statuses.split(',').map(Number) }
}

async function waitFor(target: Target): Promise<string | null> {
  for (;;) {
    const problem = await problemOf(target)
    if (problem === null || Date.now() > until) return problem
    await sleep(RETRY_MS)
  }
}

async function problemOf({ url, statuses }: Target): Promise<string | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' })
    const text = await response.text()
    if (statuses.includes(response.status)) return null
    return `${url} answered ${response.status}: ${text.trim().slice(0, 200)}`
  } catch (error) {
    return `${url} does not answer: ${error instanceof Error ? error.message : String(error)}`
  }
}
