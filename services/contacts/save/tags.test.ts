// The normal form of tags, merging and limits. docs/spec/objects.md#tags, docs/spec/security.md#tags-email-phone
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { mergeTags, normaliseTag } from './tags.ts'

const refused = (message: string) => expect.objectContaining({ type: 'invalid_request', message })
const tooLong = refused('A tag must be at most 64 characters long.')

function errorOf(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return null
}

describe('normal form of a tag', () => {
  test.each([
    ['VIP', 'vip'],
    ['  Big Spender\t', 'big spender'],
    ['\u200bvip\ufeff', 'vip'],
    ['a  b', 'a  b'],
    ['e\u0301te\u0301', '\u00e9t\u00e9'],
    ['\u00c9T\u00c9', '\u00e9t\u00e9'],
    ['İstanbul', 'i\u0307stanbul'],
    ['I', 'i'],
    ['J\u030c', '\u01f0'],
    ['ΟΔΟΣ', 'οδος'],
    ['a\u200db', 'a\u200db'],
    ['🎉', '🎉'],
    ['❤\ufe0f', '❤\ufe0f'],
    ['\u0301a', '\u0301a'],
    ['\ue000', '\ue000'],
  ])('%j becomes %j', (text, tag) => {
    expect(normaliseTag(text)).toBe(tag)
  })

  test.each([
    ...['', ' ', '\u200b', '\u200b\u2060\ufeff', '\u3000\u00a0\t\n', '\u0007', '\u0301', ' \u0301\u200b\ufe0f'],
    ...['\u3164'],
  ])('%j normalises to nothing', (text) => {
    expect(normaliseTag(text)).toBeNull()
  })

  test('64 characters pass, 65 are refused, counted as code points of the normal form', () => {
    expect(normaliseTag('🎉'.repeat(64))).toBe('🎉'.repeat(64))
    expect(normaliseTag(` ${'e\u0301'.repeat(64)} `)).toBe('\u00e9'.repeat(64))
    expect(errorOf(() => normaliseTag('x'.repeat(65)))).toEqual(tooLong)
    expect(errorOf(() => normaliseTag('İ'.repeat(33)))).toEqual(tooLong)
  })

  test.each(['a\u0000b', 'a\ud83c', '\u0000'])('%j cannot be stored and is refused', (text) => {
    expect(errorOf(() => normaliseTag(text))).toEqual(
      refused('A tag must be text without U+0000 or broken characters.'),
    )
  })

  test('the normal form of a normal form is itself, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }), (text) => {
        fc.pre(!text.includes('\u0000'))
        const tag = normaliseTag(text)
        fc.pre(tag !== null)
        expect(normaliseTag(tag ?? '')).toBe(tag)
      }),
      { numRuns: 2_000 },
    )
  })

  test('the normal form of a normal form is itself, for letters, marks, spaces and format characters', () => {
    const unit = fc.constantFrom(
      ...Array.from('aIİıſKÅΣσςJjǰHẖTẗWẘβẞ \u0301\u0307\u030c\u0331\u0345\u200b\u200d\u00ad\u2000'),
    )
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
        const tag = normaliseTag(text)
        expect(tag === null ? null : normaliseTag(tag)).toBe(tag)
      }),
      { numRuns: 5_000 },
    )
  })

  test('combining and composed spellings are one tag', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 10 }), (text) => {
        expect(normaliseTag(text.normalize('NFD'))).toBe(normaliseTag(text.normalize('NFC')))
      }),
    )
  })
})

describe('merging', () => {
  test('merging the same request again changes nothing', () => {
    const tags = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'))
    fc.assert(
      fc.property(tags, tags, tags, (stored, add, remove) => {
        const once = mergeTags(stored, add, remove)
        expect(mergeTags(once, add, remove)).toEqual(once)
      }),
    )
  })
})
