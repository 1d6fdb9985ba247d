// The order in which batches are sent and their answers are taken (docs/spec/imports.md#identity-and-re-import).
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { setImmediate } from 'node:timers/promises'
import { openLane } from './lane.ts'

test('answers are taken in order, at most so many calls are under way, and never two with a name in common', async () => {
  const batch = fc.record({ names: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd')), turns: fc.nat({ max: 4 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { maxLength: 12 }), fc.integer({ min: 1, max: 3 }), async (batches, callsMax) => {
      const lane = openLane(callsMax)
      const underWay = new Set<readonly string[]>()
      const begun: number[] = []
      const taken: number[] = []
      const runs = batches.map(({ names, turns }, index) =>
        lane.run(
          names,
          async () => {
            begun.push(index)
            const inCommon = [...underWay].flat().filter((name) => (names as readonly string[]).includes(name))
            expect(inCommon).toEqual([])
            underWay.add(names)
            expect(underWay.size).toBeLessThanOrEqual(callsMax)
            for (let turn = 0; turn < turns; turn += 1) await setImmediate()
            underWay.delete(names)
            return index
          },
          (answer) => taken.push(answer),
        ),
      )
      await Promise.all(runs)
      const inOrder = batches.map((_, index) => index)
      expect([begun, taken]).toEqual([inOrder, inOrder])
    }),
  )
})

test('after a call that fails no further one begins, and what was answered is taken', async () => {
  const lane = openLane(2)
  const taken: string[] = []
  const begun: string[] = []
  const failing = Promise.withResolvers<string>()
  const run = (name: string, answer: Promise<string>) =>
    lane.run(
      [name],
      () => {
        begun.push(name)
        return answer
      },
      (result) => taken.push(result),
    )
  const late = Promise.withResolvers<string>()
  const runs = [run('a', failing.promise), run('b', late.promise), run('c', Promise.resolve('c'))]
  await setImmediate()
  failing.reject(new Error('No.'))
  await setImmediate()
  late.resolve('b')
  const outcomes = await Promise.allSettled(runs)
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected'])
  expect([begun, taken]).toEqual([['a', 'b'], ['b']])
})
