// Calls of one name are joined while work for them is under way, in their order, and each has its own outcome.
import { describe, expect, test } from '@jest/globals'
import { openJoined, type Outcome } from './joined.ts'

/** A worker whose work ends when it is released; `works` has the items of each work that has begun. */
function openHeld(most = 100) {
  const works: string[][] = []
  const releases: ((outcomes?: Outcome<string>[]) => void)[] = []
  const join = openJoined<string, string>({
    most,
    work: async (items) => {
      works.push(items)
      const { promise, resolve } = Promise.withResolvers<Outcome<string>[] | undefined>()
      releases.push(resolve)
      return (await promise) ?? items.map((item) => ({ value: `${item} done` }))
    },
  })
  return { join, works, release: (outcomes?: Outcome<string>[]) => releases.shift()?.(outcomes) }
}

describe('joined calls', () => {
  test('begin at once, and those that arrive meanwhile are the next work, in their order', async () => {
    const { join, works, release } = openHeld()
    const calls = ['a', 'b', 'c'].map((item) => join('name', item))
    expect(works).toEqual([['a']])
    release()
    expect(await calls[0]).toBe('a done')
    expect(works).toEqual([['a'], ['b', 'c']])
    release()
    expect(await Promise.all(calls)).toEqual(['a done', 'b done', 'c done'])
    void join('name', 'd')
    expect(works.at(-1)).toEqual(['d'])
  })

  test('of different names do not wait for each other, and no work has more than the most', async () => {
    const { join, works, release } = openHeld(2)
    const calls = ['a', 'b', 'c', 'd'].map((item) => join('name', item))
    void join('other', 'x')
    expect(works).toEqual([['a'], ['x']])
    release()
    await calls[0]
    expect(works.at(-1)).toEqual(['b', 'c'])
  })

  test('fail each by itself, or all of one work where the work fails', async () => {
    const { join, release } = openHeld()
    const first = join('name', 'a')
    const [second, third] = [join('name', 'b'), join('name', 'c')]
    release([{ error: new Error('no') }])
    await expect(first).rejects.toThrow('no')
    release([{ value: 'fine' }, { error: new Error('refused') }])
    expect(await second).toBe('fine')
    await expect(third).rejects.toThrow('refused')

    const failing = openJoined<string, string>({ most: 9, work: () => Promise.reject(new Error('broken')) })
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((item) => failing('name', item)))
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    await expect(failing('name', 'd')).rejects.toThrow('broken')
  })
})
