// A file with a fault fails, and says why: the test runner is ours (docs/decisions/0026-tests-in-native-modules.md), so that a fault
// which it overlooks would make every test worthless.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { childEnv } from '#testing/child-env'

type Result = { name: string; status: string; message: string; assertionResults: { title: string; status: string }[] }

const root = join(import.meta.dirname, '../..')
const nextTurns = 'await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))'
const passes = "test('passes', () => expect(1).toBe(1))"
const faults: [what: string, code: string, message: RegExp][] = [
  ['a failing test', "test('fails', () => expect(1).toBe(2))", /● fails\n[^]*Expected: 2/],
  ['a test that throws', "test('fails', () => { throw new Error('planted') })", /● fails\n[^]*planted/],
  [
    'a test that never ends',
    "test('fails', () => new Promise(() => {}), 10)",
    /● fails\n[^]*Exceeded timeout of 10 ms/,
  ],
  ['a failing beforeAll', `beforeAll(() => expect(1).toBe(2)); ${passes}`, /● passes\n[^]*Expected: 2/],
  ['a failing afterEach', `afterEach(() => expect(1).toBe(2)); ${passes}`, /● passes\n[^]*Expected: 2/],
  ['a failing afterAll', `afterAll(() => expect(1).toBe(2)); ${passes}`, /Expected: 2/],
  [
    'an error outside of a test',
    `test('passes', async () => { setImmediate(() => { throw new Error('planted') }); ${nextTurns} })`,
    /planted/,
  ],
  [
    'a rejected promise that nobody handles',
    `test('passes', async () => { Promise.reject(new Error('planted')); ${nextTurns} })`,
    /planted/,
  ],
  ['a rejection at the very end', "test('passes', () => { Promise.reject(new Error('planted')) })", /planted/],
  ['an error while the file is loaded', `${passes}; throw new Error('planted')`, /planted/],
  ['an import of a file that is not there', "import './nothing.ts'", /nothing\.ts/],
  ['a file without a test', '', /must contain at least one test/],
  [
    'fewer assertions than announced',
    "test('fails', () => { expect.assertions(2); expect(1).toBe(1) })",
    /● fails\n[^]*two assertions/,
  ],
  [
    'an assertion in a hook instead of the test',
    "beforeAll(() => expect(1).toBe(1)); test('fails', () => expect.hasAssertions())",
    /● fails\n[^]*at least one/,
  ],
  ['no assertion where one is demanded', "test('fails', () => expect.hasAssertions())", /● fails\n[^]*at least one/],
]
const results = new Map<string, Result>()
let status: number | null = null
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'runner-'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const imports = "import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'"
  for (const [index, code] of [...faults.map(([, one]) => one), passes].entries()) {
    writeFileSync(join(folder, `${index}.test.ts`), `${imports}\n${code}\n`)
  }
  const report = join(folder, 'report.json')
  const jest = ['--disable-warning=ExperimentalWarning', join(root, 'node_modules/jest/bin/jest.js'), '--runInBand']
  const env = { ...childEnv, DATABASE_URL: process.env.TEST_DATABASE_URL }
  const args = [...jest, `--roots=${folder}`, '--json', `--outputFile=${report}`]
  status = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'ignore' }).status
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as { testResults: Result[] }
  for (const result of testResults) results.set(basename(result.name), result)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each(faults.map(([what, , message], index) => [what, index, message] as const))(
  '%s fails the file with a message',
  (_what, index, message) => {
    const result = results.get(`${index}.test.ts`)
    expect(result?.status).toBe('failed')
    expect(stripVTControlCharacters(result?.message ?? '')).toMatch(message)
  },
)

test('a file without a fault passes beside them, and the run as a whole fails', () => {
  expect(results.get(`${faults.length}.test.ts`)).toMatchObject({
    status: 'passed',
    assertionResults: [{ title: 'passes', status: 'passed' }],
  })
  expect(status).toBe(1)
})
