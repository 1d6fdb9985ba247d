// Owns the gate for known holes in what is shipped: asks the registry, fails on a high or critical one, and says aloud where
// nobody could be asked. security-and-faults.md, row "Supply". Run by .ci/run, not by `npm test`: what others publish about a
// package must not fail a change that has nothing to do with it on a machine without a network.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

export type Verdict = { kind: 'clean' | 'unknown' | 'holes'; words: string }

/** What `npm audit --json` said. */
export function judgeAudit(output: string): Verdict {
  const report = parse(output)
  const counts = report?.metadata?.vulnerabilities
  if (counts === undefined) {
    return { kind: 'unknown', words: report?.message ?? 'npm audit gave no report' }
  }
  const { high = 0, critical = 0 } = counts
  if (high + critical === 0)
    return { kind: 'clean', words: 'no package that is shipped has a known high or critical hole' }
  const bad = Object.entries(report?.vulnerabilities ?? {}).filter(([, { severity }]) =>
    /^(high|critical)$/.test(severity),
  )
  return { kind: 'holes', words: bad.map(([name, { severity }]) => `${name} (${severity})`).join(', ') }
}

type Report = {
  message?: string
  metadata?: { vulnerabilities?: { high?: number; critical?: number } }
  vulnerabilities?: Record<string, { severity: string }>
}

function parse(output: string): Report | null {
  try {
    return JSON.parse(output) as Report
  } catch {
    return null // Not even an error of npm's own.
  }
}

if (import.meta.main) {
  const options = { cwd: join(import.meta.dirname, '../..'), encoding: 'utf8', timeout: 120_000 } as const
  const { kind, words } = judgeAudit(spawnSync('npm', ['audit', '--json', '--omit=dev'], options).stdout ?? '')
  if (kind === 'unknown') process.stderr.write(`\n*** NOT AUDITED: the registry could not be asked (${words}). ***\n\n`)
  else process.stdout.write(`audit: ${words}\n`)
  process.exitCode = kind === 'holes' ? 1 : 0
}
