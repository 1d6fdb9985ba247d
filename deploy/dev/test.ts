// Owns `npm test`: type check, lint, format, every test; one closing line with the counts.
// run.md, Commands: real PostgreSQL, real NATS; what could not run is said in one loud line, and is a failure with CI=true.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram } from '#runtime/find-program'
import { findNatsServer } from '#runtime/nats-server'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'storefront-report-'))
const report = join(folder, 'jest.json')

const checks = [
  { name: 'type check', program: 'node_modules/typescript/bin/tsc', args: ['--noEmit', '-p', '.'] },
  { name: 'lint', program: 'node_modules/oxlint/bin/oxlint', args: ['--type-aware', '--deny-warnings'] },
  { name: 'format', program: 'node_modules/@biomejs/biome/bin/biome', args: ['format', '.'] },
]

let passed = 0
let failed = 0
for (const check of checks) count(check.name, runNode([check.program, ...check.args]))

const natsMissing = !process.env.NATS_URL && findNatsServer(process.env.PATH ?? '') === null
if (natsMissing) {
  process.stderr.write(
    '\n*** NATS IS MISSING: the tests of the distributed form did not run. Install nats-server or set NATS_URL. ***\n\n',
  )
  if (process.env.CI === 'true') failed += 1
}
for (const [program, without] of [
  ['chromium', 'no page was opened in a browser. Install chromium'],
  ['helm', 'the chart was not rendered. Install it: go install helm.sh/helm/v3/cmd/helm@v3.19.0'],
  [
    'kubeconform',
    'the chart was not checked. Install it: go install github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0',
  ],
  ['k6', 'the load scripts were not run. Install it: go install go.k6.io/k6@v1.8.1'],
] as const) {
  if (findProgram(program, process.env.PATH ?? '') !== null) continue
  process.stderr.write(`\n*** ${program.toUpperCase()} IS MISSING: ${without}. ***\n\n`)
  if (process.env.CI === 'true') failed += 1
}

const jestStatus = runNode([
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
  '--json',
  `--outputFile=${report}`,
  ...process.argv.slice(2),
])
const jest = readReport()
passed += jest.passed
failed += jest.failed
if (jestStatus !== 0 && jest.failed === 0) failed += 1
rmSync(folder, { recursive: true, force: true })

process.stdout.write(`\n${passed} passed, ${failed} failed${jest.skipped > 0 ? `, ${jest.skipped} skipped` : ''}\n`)
process.exit(failed === 0 ? 0 : 1)

function runNode(args: string[]): number {
  return spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }).status ?? 1
}

function count(name: string, status: number): void {
  if (status === 0) {
    passed += 1
    return
  }
  failed += 1
  process.stderr.write(`\n*** ${name} failed ***\n`)
}

function readReport(): { passed: number; failed: number; skipped: number } {
  try {
    const result = JSON.parse(readFileSync(report, 'utf8')) as Record<string, number>
    return {
      passed: result.numPassedTests ?? 0,
      failed: (result.numFailedTests ?? 0) + (result.numRuntimeErrorTestSuites ?? 0),
      skipped: result.numPendingTests ?? 0,
    }
  } catch {
    return { passed: 0, failed: 1, skipped: 0 } // The run ended before it could report: that is a failure.
  }
}
