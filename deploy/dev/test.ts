// `npm test`: type check, lint, format and every test, on real PostgreSQL and NATS; docs/spec/running.md#commands. With CI=true
// also the audit of packages and the short benchmark, and a missing program is a failure. The last line counts.
// `npm test -- orders` runs the tests of one folder (here, in services/ or in libs/), or of the files whose path contains the
// word, and nothing else. Further options are those of jest.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { findProgram } from '#local-servers/find-program'

type Assertion = { status: string; ancestorTitles: string[]; title: string }
type Report = {
  numPassedTests: number
  numFailedTests: number
  numRuntimeErrorTestSuites: number
  testResults: { name: string; assertionResults: Assertion[] }[]
}

const root = join(import.meta.dirname, '../..')
const isCi = process.env.CI === 'true'
const patterns = process.argv.slice(2)
const checks: [name: string, args: string[]][] = [
  ['type check', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', '.']],
  ['type check of the console', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'console']],
  ['lint', ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings']],
  ['format', ['node_modules/@biomejs/biome/bin/biome', 'format', '.']],
]
const ciChecks: typeof checks = [
  ['audit of packages', ['deploy/dev/audit.ts']],
  ['benchmark', ['loadtest/bench/bench.ts', '--check', '--connections', '32', '--only', 'GET /orders (25)']],
]
const programs = {
  'nats-server': 'tests of separate processes',
  helm: 'tests of the chart',
  kubeconform: 'tests of the chart',
  promtool: 'tests of the alerts',
  k6: 'tests of the load scripts',
  chromium: 'tests of pages in a browser',
  pgbouncer: 'tests behind a pooler of connections',
  go: 'tests with clients of Go',
  python3: 'tests with clients of Python',
}

let passed = 0
let failed = 0
for (const [name, args] of patterns.length > 0 ? [] : [...checks, ...(isCi ? ciChecks : [])]) {
  count(name, runNode(args) === 0)
}
const alternatives: Record<string, string> = { chromium: 'chromium-headless-shell' }
for (const [name, tests] of Object.entries(programs)) {
  const path = `${process.env.PATH ?? ''}:/usr/sbin`
  const names = [name, alternatives[name] ?? name]
  if (names.some((one) => findProgram(one, path) !== null) || (name === 'nats-server' && process.env.NATS_URL)) continue
  warn(`${name} IS MISSING: ${tests} cannot run. .ci/run shows how to install it.`)
  if (isCi) failed += 1
}
countTests()
process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
process.exit(failed === 0 ? 0 : 1)

function countTests(): void {
  const folder = mkdtempSync(join(tmpdir(), 'storefront-report-'))
  const file = join(folder, 'jest.json')
  const status = runNode([
    ...['--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'],
    ...['--json', `--outputFile=${file}`, ...patterns.map(pathsOf)],
  ])
  const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : null
  rmSync(folder, { recursive: true, force: true })
  passed += report?.numPassedTests ?? 0
  const failures = (report?.numFailedTests ?? 0) + (report?.numRuntimeErrorTestSuites ?? 0)
  // Jest can fail without a failed test: without a PostgreSQL, or when no file matches.
  failed += status === 0 ? failures : Math.max(failures, 1)
  // A suite that cannot run says why in its name, see testing/where-possible.ts.
  const skipped = (report?.testResults ?? []).flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter((test) => test.status === 'pending')
      .map(({ ancestorTitles, title }) => `${relative(root, name)} › ${ancestorTitles.find(isSkipped) ?? title}`),
  )
  for (const [suite, tests] of Map.groupBy(skipped, (one) => one)) warn(`${tests.length} skipped: ${suite}`)
}

function isSkipped(suite: string): boolean {
  return suite.includes('(SKIPPED: ')
}

/** A regular expression for jest, which matches it with absolute paths; options stay as they are. */
function pathsOf(argument: string): string {
  if (argument.startsWith('-')) return argument
  const folder = [`services/${argument}`, `libs/${argument}`, argument].find((path) => existsSync(join(root, path)))
  return folder === undefined ? argument : `^${join(root, folder)}(/|$)`
}

function count(name: string, isPassed: boolean): void {
  if (isPassed) passed += 1
  else failed += 1
  if (!isPassed) warn(`${name} failed`)
}

function warn(line: string): void {
  process.stderr.write(`\n*** ${line} ***\n`)
}

function runNode(args: string[]): number {
  return spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }).status ?? 1
}
