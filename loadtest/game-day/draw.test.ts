// What a game day draws, and how it says what must hold.
import { expect, test } from '@jest/globals'
import { clientFaults } from '../chaos/faults/table.ts'
import { draw, hypothesisOf } from './draw.ts'

const plan = { 'nats-seconds': 30, 'nats-restarts': 20, 'hang-seconds': 20, 'partition-seconds': 60 }
const faults = clientFaults(plan)
const namesOf = (seed: number) => draw(faults, 10, seed).map(({ name }) => name)

test('a seed draws the same ten faults in the same order each time, another seed draws others, and none twice', () => {
  expect(namesOf(7)).toEqual(namesOf(7))
  expect(namesOf(7)).not.toEqual(namesOf(8))
  expect(new Set(namesOf(7)).size).toBe(10)
})

test('every fault of clients is drawn by some seed', () => {
  const drawn = new Set(Array.from({ length: 200 }, (_, seed) => namesOf(seed)).flat())
  expect([...drawn].toSorted()).toEqual(faults.map(({ name }) => name).toSorted())
})

test('each fault has bounds, and the hypothesis says them', () => {
  expect(faults.filter(({ bounds }) => bounds === undefined)).toEqual([])
  expect(hypothesisOf({ failedMax: 0, healthyMsMax: 0 })).toBe('no call fails; no call takes longer than 10.0 s')
  expect(hypothesisOf({ failedMax: 10, healthyMsMax: 6_000, onlyItsOwn: true })).toBe(
    'at most 10 calls fail; none fails through another gateway; no call takes longer than 10.0 s; all is well 6.0 s after its end',
  )
  expect(hypothesisOf({ failedMax: null, healthyMsMax: 5_000, mayFail: ['order'] })).toContain(
    'only calls of the kinds order fail while it lasts',
  )
  const hang = faults.find(({ name }) => name === 'orders hangs 20 s')
  expect(hypothesisOf(hang?.bounds ?? { failedMax: 0, healthyMsMax: 0 })).toBe(
    'at most 1 % of the reads fail; at most 15 % of the commands of the first 5 s and no later one; calls through a gateway that hangs do not count; no kind is without a success for 5.0 s; no call takes longer than 6.0 s; all is well 5.0 s after its end',
  )
})
