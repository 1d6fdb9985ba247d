// Tests what text is stored and what is trimmed: docs/spec/security.md#text-to-postgresql.
import { describe, expect, test } from '@jest/globals'
import { isStorable, storableText, trimInvisible } from './text.ts'

describe('storable text', () => {
  test.each(['', 'plain', 'naïve 日本 🎉', 'line\nline\ttab', '\uFFFD'])('%j is storable', (text) => {
    expect(isStorable(text)).toBe(true)
  })

  test.each(['\u0000', 'a\u0000b', '\ud83c', 'a\udf89b', '\udf89\ud83c'])('%j is not', (text) => {
    expect(isStorable(text)).toBe(false)
  })

  test('the schema keeps text as it came, from 1 to max code units', () => {
    const schema = storableText(4)
    expect(schema.parse(' a ')).toBe(' a ')
    expect(schema.parse('🎉🎉')).toBe('🎉🎉')
    expect(schema.safeParse('').success).toBe(false)
    expect(schema.safeParse('🎉🎉a').success).toBe(false)
    expect(schema.safeParse('aaaaa').error?.issues).toHaveLength(1)
    expect(schema.safeParse(5).success).toBe(false)
  })

  test('the schema says what is wrong with text that cannot be stored', () => {
    const result = storableText(10).safeParse('a\u0000b')
    expect(result.error?.issues.map((issue) => issue.message)).toEqual([
      'must be text without U+0000 or broken characters',
    ])
  })
})

describe('trimming', () => {
  test.each([
    ['  vip  ', 'vip'],
    ['\u200b\ufeff vip\u00a0\u3000', 'vip'],
    ['\u0000\u001fvip\u007f\u0085', 'vip'],
    ['\u{e0001}vip\u{e007f}', 'vip'],
    ['a \u200b b', 'a \u200b b'],
    ['\u200b\u2060 \t', ''],
    ['', ''],
    ['🎉', '🎉'],
  ])('%j becomes %j', (text, trimmed) => {
    expect(trimInvisible(text)).toBe(trimmed)
  })

  test('a long run of inner spaces costs no more than its length', () => {
    const text = `a${' '.repeat(1_000_000)}b`
    expect(trimInvisible(text)).toBe(text)
  })
})
