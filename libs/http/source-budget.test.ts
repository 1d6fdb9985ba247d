// Tests the budget by source of routes that need no key: docs/spec/double-opt-in.md#form-budget.
import { describe, expect, test } from '@jest/globals'
import { openSourceBudget } from './source-budget.ts'

function open(max: number) {
  let now = 0
  const budget = openSourceBudget(max, () => now)
  return { ...budget, pass: (ms: number) => (now += ms) }
}

describe('a budget of three a minute', () => {
  test('the fourth request waits for the end of the window, which begins with the first', () => {
    const { take, pass } = open(3)
    expect(take('a')).toBe(0)
    pass(20_500)
    expect([take('a'), take('a'), take('a')]).toEqual([0, 0, 40])
    pass(39_499)
    expect(take('a')).toBe(1)
    pass(1)
    expect(take('a')).toBe(0)
  })

  test('sources do not share it', () => {
    const { take } = open(1)
    expect([take('a'), take('b'), take('a'), take('b')]).toEqual([0, 0, 60, 60])
  })

  test('a returned unit can be taken again, and no more are returned than were taken', () => {
    const { take, giveBack } = open(1)
    take('a')
    giveBack('a')
    giveBack('a')
    giveBack('unknown')
    expect([take('a'), take('a')]).toEqual([0, 60])
  })

  test('many sources use bounded memory: the window that was used least recently is dropped', () => {
    const { take } = open(1)
    take('first')
    for (let index = 1; index < 10_000; index += 1) take(`source ${index}`)
    expect(take('first')).toBe(60)
    take('one more')
    expect([take('first'), take('source 2'), take('source 1')]).toEqual([60, 60, 0])
  })
})
