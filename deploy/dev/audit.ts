// The audit of the packages that are shipped: asks the registry, fails on a known high or critical vulnerability, and says so
// where the registry cannot be reached. Run in the build only: a new advisory must not fail a change on a developer's machine.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

export type Verdict = { kind: 'clean' | 'unknown' | 'vulnerable'; summary: string }

/** Judges the output of `npm audit --json`. */
export function judgeAudit(output: string): Verdict {
  const report = parse(output)
  const counts = report?.metadata?.vulnerabilities
  if (counts === undefined) {
    return { kind: 'unknown', summary: report?.message ?? 'npm audit gave no report' }
  }
  const { high = 0, critical = 0 } = counts
  if (high + critical === 0)
    return { kind: 'clean', summary: 'no shipped package has a known high or critical vulnerability' }
  const severe = Object.entries(report?.vulnerabilities ?? {}).filter(([, { severity }]) =>
    /^(high|critical)$/.test(severity),
  )
  return { kind: 'vulnerable', summary: severe.map(([name, { severity }]) => `${name} (${severity})`).join(', ') }
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
    return null // Not the JSON of npm.
  }
}

if (import.meta.main) {
  const options = { cwd: join(import.meta.dirname, '../..'), encoding: 'utf8', timeout: 120_000 } as const
  const { kind, summary } = judgeAudit(spawnSync('npm', ['audit', '--json', '--omit=dev'], options).stdout ?? '')
  if (kind === 'unknown')
    process.stderr.write(`\n*** NOT AUDITED: the registry could not be asked (${summary}). ***\n\n`)
  else process.stdout.write(`audit: ${summary}\n`)
  process.exitCode = kind === 'vulnerable' ? 1 : 0
}
