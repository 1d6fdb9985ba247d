// Metrics whose value is not always there. docs/spec/running.md#watching
import { afterEach, expect, jest, test } from '@jest/globals'
import { openMetrics } from './metrics.ts'

afterEach(() => void jest.restoreAllMocks())

test.each([
  ['of a container', 1_073_741_824, 'storefront_memory_limit_bytes 1073741824'],
  ['that no container sets', 2 ** 64, undefined],
  ['that is not known', 0, undefined],
])('the memory limit %s', async (_what, bytes, line) => {
  jest.spyOn(process, 'constrainedMemory').mockReturnValue(bytes)
  const text = await openMetrics().registry.metrics()
  expect(text.split('\n').find((one) => one.startsWith('storefront_memory_limit_bytes'))).toBe(line)
})
