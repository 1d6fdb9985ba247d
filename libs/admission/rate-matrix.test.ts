// The budget of a key as a matrix: gateways by load, inside a window and over its end. The published bound is 1 % over
// (docs/spec/security.md#request-budget); the product admits none over.
import { expect, test } from '@jest/globals'
import { openAdmission, tally } from '#testing/product/admission'

const CALLS = 240
const RECALL_MS = 200 // How long a recall waits for a gateway's grant.
const nodes = [1, 2, 4, 8]
const loads = [60, 240, 300, 1_000]

test.each(nodes.flatMap((gateways) => loads.map((load) => [gateways, load])))(
  '%i gateways, %i calls at once: as many as there are, and no window has one more',
  async (gateways, load) => {
    const admission = await openAdmission({ gateways, replicas: 2 })
    try {
      const { key } = await admission.makeKey()
      const burst = async () => {
        const calls = Array.from({ length: load }, async (_, n) => admission.gateways[n % gateways]?.take(key))
        const taken = await Promise.all(calls)
        return tally(taken.filter((one) => one !== undefined)).admitted ?? 0
      }
      const most = Math.min(load, CALLS)
      // Where the computer stands still for longer than a recall may take, units are lost until the window ends.
      const burstInTime = async () => {
        for (;;) {
          const startedAt = performance.now()
          const admitted = await burst()
          expect(admitted).toBeLessThanOrEqual(most)
          if (performance.now() - startedAt < RECALL_MS) return admitted
          await admission.endWindows()
        }
      }
      expect(await burstInTime()).toBe(most)
      const left = CALLS - most
      // The window ends while calls are on their way: what they get is of the one or of the other.
      const [before, , after] = await Promise.all([burst(), admission.endWindows(), burst()])
      expect(before + after + (await burst())).toBeLessThanOrEqual(left + CALLS)
      await admission.endWindows()
      expect(await burstInTime()).toBe(most)
    } finally {
      for (const { leases } of admission.gateways) await leases.stop()
      await admission.close()
    }
  },
)
