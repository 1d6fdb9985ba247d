// Runs a test file with jest's own parts, but loads it as Node loads any module instead of into a context of its own. So a worker
// loads and compiles the product once for all its files: docs/decisions/0026-tests-in-native-modules.md.
import { flushCompileCache, registerHooks } from 'node:module'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Config } from '@jest/types'
import { createEmptyTestResult, type AssertionResult, type TestResult } from '@jest/test-result'
import { addEventHandler, getState, resetState, run } from 'jest-circus'
import { formatExecError, formatResultsErrors } from 'jest-message-util'
import { expect, jest } from './globals.ts'

const globals = new URL('globals.ts', import.meta.url).href
registerHooks({
  resolve: (specifier, context, next) => next(specifier === '@jest/globals' ? globals : specifier, context),
})

addEventHandler((event) => {
  // Also resets the count, which hooks outside of a test would raise for the next test, even for one of another file.
  if (event.name === 'test_start') expect.extractExpectedAssertionsErrors()
  if (event.name !== 'test_done') return
  for (const { error } of expect.extractExpectedAssertionsErrors()) event.test.errors.push(error)
})

/** A test runner for the option `testRunner` of jest. An error that no test catches fails the file. */
export default async function runTests(
  globalConfig: Config.GlobalConfig,
  config: Config.ProjectConfig,
  _environment: unknown,
  _runtime: unknown,
  testPath: string,
): Promise<TestResult> {
  resetState()
  const state = getState()
  state.testTimeout = config.testTimeout ?? state.testTimeout
  state.testNamePattern = globalConfig.testNamePattern ? new RegExp(globalConfig.testNamePattern, 'i') : null
  const env = { ...process.env }
  const uncaught = catchErrors()
  try {
    await import(pathToFileURL(testPath).href)
    const { testResults, unhandledErrors } = await run()
    await nextTurn() // Node reports a rejection that nobody handles at the end of the turn.
    const tests = testResults.map(assertionOf)
    const count = (status: AssertionResult['status']) => tests.filter((test) => test.status === status).length
    const outside = [...unhandledErrors, ...uncaught.stacks()]
    const messages = [
      formatResultsErrors(tests, config, globalConfig, testPath) ?? '',
      ...outside.map((error) => formatExecError(error, config, globalConfig, testPath)),
    ]
    return {
      ...createEmptyTestResult(),
      testFilePath: testPath,
      testResults: tests,
      numFailingTests: count('failed'),
      numPassingTests: count('passed'),
      numPendingTests: count('pending'),
      failureMessage: messages.filter(Boolean).join('\n') || null,
      ...(outside.length > 0 ? { testExecError: { message: '', stack: outside.join('\n') } } : {}),
    }
  } finally {
    uncaught.restore()
    jest.useRealTimers()
    jest.restoreAllMocks()
    flushCompileCache()
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
    Object.assign(process.env, env)
  }
}

/** Collects what would end the process, until `restore`. A promise whose rejection is handled late does no harm. */
function catchErrors(): { stacks(): string[]; restore(): void } {
  const errors = new Map<unknown, unknown>()
  const listeners = {
    uncaughtException: (error: Error) => errors.set(error, error),
    unhandledRejection: (reason: unknown, promise: unknown) => errors.set(promise, reason),
    rejectionHandled: (promise: unknown) => errors.delete(promise),
  }
  const others = Object.entries(listeners).map(([event, listener]) => {
    const before = process.rawListeners(event) as (() => void)[]
    process.removeAllListeners(event).on(event, listener)
    return () => {
      process.off(event, listener)
      for (const other of before) process.on(event, other)
    }
  })
  return {
    stacks: () => [...errors.values()].map((error) => (error instanceof Error && error.stack) || String(error)),
    restore: () => {
      for (const restore of others) restore()
    },
  }
}

function assertionOf(result: Awaited<ReturnType<typeof run>>['testResults'][number]): AssertionResult {
  const [title = '', ...ancestors] = result.testPath.slice(1).toReversed()
  const ancestorTitles = ancestors.toReversed()
  const status = result.status === 'skip' ? 'pending' : result.errors.length > 0 ? 'failed' : 'passed'
  const { duration, errors, invocations, numPassingAsserts } = result
  const fullName = [...ancestorTitles, title].join(' ')
  return {
    title,
    ancestorTitles,
    fullName,
    status,
    duration,
    invocations,
    numPassingAsserts,
    failureMessages: errors,
    failureDetails: result.errorsDetailed,
  }
}
