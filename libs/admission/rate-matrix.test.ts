// The budget of a key as a matrix: gateways by load, inside a window and over its end. The published bound is 1 % over
// (docs/spec/security.md#request-budget); the product admits none over.
import { expect, test } from '@jest/globals'
import { openAdmission, tally } from '#testing/product/admission'

const CALLS = 240
const nodes = [1, 2, 4, 8]
const loads = [60, 240, 300, 1_000]

test.each(nodes.flatMap((gateways) => loads.map((load) => [gateways, load])))(
  '%i gateways, %i calls at once: as many as there are, and no window has one more',
  async (gateways, load) => {
    const admission = await openAdmission({ gateways, replicas: 2 })
    try {
      const { key } = await admission.makeKey()
      const burst = () =>
        Promise.all(Array.from({ length: load }, async (_, index) => admission.gateways[index % gateways]?.take(key)))
      const admitted = (taken: Awaited<ReturnType<typeof burst>>) =>
        tally(taken.filter((one) => one !== undefined)).admitted ?? 0
      const most = Math.min(load, CALLS)
      expect(admitted(await burst())).toBe(most)
      const left = CALLS - most
      // The window ends while calls are on their way: what they get is of the one or of the other.
      const [before, , after] = await Promise.all([burst(), admission.endWindows(), burst()])
      const over = admitted(before) + admitted(after) + admitted(await burst())
      expect(over).toBeLessThanOrEqual(left + CALLS)
      expect(over).toBeGreaterThanOrEqual(most)
    } finally {
      for (const { leases } of admission.gateways) await leases.stop()
      await admission.close()
    }
  },
)
