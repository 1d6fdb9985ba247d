// What responses show as left of a budget, over several gateways (docs/spec/internals.md#remaining-budget).
import { afterEach, expect, test } from '@jest/globals'
import { type Admission, openAdmission } from '#testing/product/admission'
import type { Decision } from './lease.ts'

let admission: Admission
afterEach(() => admission.close())

const remainingOf = (decided: Decision | undefined) =>
  decided !== undefined && 'budget' in decided ? decided.budget.remaining : Number.NaN

/** Calls one after the other; returns how often the number rose, and how often it was above what was left. */
async function walk(key: string, calls: number, gatewayOf: (call: number) => number) {
  const shown: number[] = []
  let admitted = 0
  let above = 0
  for (let call = 0; call < calls; call += 1) {
    const decided = await admission.gateways[gatewayOf(call)]?.take(key)
    if (decided?.decision === 'admitted') admitted += 1
    shown.push(remainingOf(decided))
    if (remainingOf(decided) > 240 - admitted) above += 1
  }
  const rises = shown.filter((remaining, index) => remaining > (shown[index - 1] ?? Number.POSITIVE_INFINITY)).length
  return { shown, admitted, rises, above }
}

test('one gateway shows exactly what is left', async () => {
  admission = await openAdmission()
  const { key } = await admission.makeKey()
  const { shown } = await walk(key, 242, () => 0)
  expect(shown).toEqual([...Array.from({ length: 240 }, (_, index) => 239 - index), 0, 0])
})

test.each<[string, number, (call: number) => number]>([
  ['in turn', 2, (call) => call % 2],
  ['in turn', 4, (call) => call % 4],
  ['unevenly', 3, (call) => (call % 7 === 0 ? 2 : call % 5 === 0 ? 1 : 0)],
  ['one long after the other', 2, (call) => (call < 200 ? 0 : call % 2)],
])(
  '245 calls %s over %i gateways: it never rises and is never above what is left',
  async (_how, gateways, gatewayOf) => {
    admission = await openAdmission({ gateways, replicas: 2 })
    const { key } = await admission.makeKey()
    const { shown, admitted, rises, above } = await walk(key, 245, gatewayOf)
    expect({ admitted, rises, above }).toEqual({ admitted: 240, rises: 0, above: 0 })
    // Useful as well: every gateway holds at most 48 units besides what is shown.
    for (const [index, remaining] of shown.slice(0, 240).entries()) {
      expect(239 - index - remaining).toBeLessThanOrEqual(48 * gateways)
    }
  },
)

test('it does not rise when a gateway returns its units, dies, or joins late', async () => {
  admission = await openAdmission({ gateways: 4, replicas: 2 })
  const { key } = await admission.makeKey()
  const { shown } = await walk(key, 60, (call) => call % 3)
  await admission.gateways[2]?.leases.stop()
  admission.tap.before = async (action) => {
    if (action === 'lease-of-gateway-2') throw new Error('dead')
  }
  shown.push(...(await walk(key, 200, (call) => (call % 3 === 0 ? 3 : 0))).shown)
  expect(shown.filter((remaining, index) => remaining > (shown[index - 1] ?? 240))).toEqual([])
  expect(shown.at(-1)).toBe(0)
})

test('a window that opens shows the whole budget again', async () => {
  admission = await openAdmission({ gateways: 2 })
  const { key } = await admission.makeKey()
  await walk(key, 250, (call) => call % 2)
  await admission.endWindows()
  const { shown, rises } = await walk(key, 40, (call) => (call < 10 ? 1 : call % 2))
  expect({ first: shown.slice(0, 3), rises }).toEqual({ first: [239, 238, 237], rises: 0 })
})
