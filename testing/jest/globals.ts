// What a test file imports from `@jest/globals`: jest's own parts, in the process of the worker instead of a context of their own.
import { jestExpect } from '@jest/expect'
import { ModernFakeTimers } from '@jest/fake-timers'
import { ModuleMocker } from 'jest-mock'

export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from 'jest-circus'
export { jestExpect as expect }

const mocker = new ModuleMocker(globalThis)
const timers = new ModernFakeTimers({ config: { fakeTimers: {} } as never, global: globalThis })

/** The functions of `jest` that tests here use; each test ends them itself. */
export const jest = {
  spyOn: mocker.spyOn.bind(mocker),
  restoreAllMocks: () => mocker.restoreAllMocks(),
  useFakeTimers: timers.useFakeTimers.bind(timers),
  useRealTimers: () => timers.useRealTimers(),
  advanceTimersByTime: (ms: number) => timers.advanceTimersByTime(ms),
  advanceTimersByTimeAsync: (ms: number) => timers.advanceTimersByTimeAsync(ms),
}
