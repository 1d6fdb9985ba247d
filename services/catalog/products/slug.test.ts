// Slugs from titles and files. docs/spec/objects.md#product
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isSlug } from '#contracts/input/product'
import { makeSlug, slugOfFile } from './slug.ts'

test.each([
  ['Blue Mug', 'blue-mug'],
  ['Crème Brûlée, 2 x', 'creme-brulee-2-x'],
  ["The Baker's Dozen", 'the-bakers-dozen'],
  ['  --  Sale!  --  ', 'sale'],
  ['İstanbul', 'istanbul'],
  ['日本の茶碗', '日本の茶碗'],
  ['ガラス', 'ガラス'],
  ['हिन्दी', 'हिन्दी'],
  ['½ price', '1-2-price'],
  ['!!!', 'product'],
  ['🎉', 'product'],
  ['a/b?c#d', 'a-b-c-d'],
])('%j becomes %j', (title, slug) => {
  expect(makeSlug(title)).toBe(slug)
})

test('every title has a valid slug, which is its own slug', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (title) => {
      const slug = makeSlug(title)
      expect(isSlug(slug)).toBe(true)
      expect(makeSlug(slug)).toBe(slug)
    }),
    { numRuns: 2_000 },
  )
})

test('a valid slug of a file stays as it is', () => {
  expect(slugOfFile('ready_made.handle', 'Title')).toBe('ready_made.handle')
  expect(slugOfFile('Not A Handle', 'Title')).toBe('not-a-handle')
  expect(slugOfFile('', 'From the title')).toBe('from-the-title')
})
