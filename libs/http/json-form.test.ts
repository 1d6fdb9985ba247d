// Tests what JSON must not be, and that nothing else is refused.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { checkJsonForm } from './json-form.ts'

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

describe('depth', () => {
  test('32 levels pass, 33 do not', () => {
    expect(() => checkJsonForm(nested(32))).not.toThrow()
    expect(() => checkJsonForm(nested(33))).toThrow('The body is nested deeper than 32 levels.')
  })

  test('100,000 open brackets are refused, not a crash', () => {
    expect(() => checkJsonForm('['.repeat(100_000))).toThrow('The body is nested deeper than 32 levels.')
    expect(() => checkJsonForm('{"a":'.repeat(100_000))).toThrow('The body is nested deeper than 32 levels.')
  })

  test('brackets inside strings are text', () => {
    expect(() => checkJsonForm(`{"note":"${'['.repeat(500)}\\"[["}`)).not.toThrow()
  })
})

describe('fields', () => {
  test.each([
    ['{"a":1,"a":2}', 'The body has the field "a" twice.'],
    ['{"b":{"a":1,"c":[{}],"a":2}}', 'The body has the field "a" twice.'],
    ['{"a":1,"\\u0061":2}', 'The body has the field "a" twice.'],
    ['{"x":{"__proto__":{"admin":true}}}', 'The body has a field named __proto__.'],
    ['{"\\u005f_proto__":{}}', 'The body has a field named __proto__.'],
  ])('%s is refused', (text, message) => {
    expect(() => checkJsonForm(text)).toThrow(message)
  })

  test.each([
    '{"a":{"a":1},"b":[{"a":1},{"a":2}]}',
    '{"a":"a","b":["a","a"]}',
    '["a","a"]',
    '{"constructor":1,"toString":2}',
    '{"a":"\\",\\"a\\":1"}',
  ])('%s passes', (text) => {
    expect(() => checkJsonForm(text)).not.toThrow()
  })

  test('everything that JSON.stringify writes passes, as long as it is flat enough', () => {
    const value = fc.jsonValue({ maxDepth: 10 })
    const free = (text: string) => !text.includes('__proto__')
    fc.assert(
      fc.property(value.map((any) => JSON.stringify(any)).filter(free), (text) => {
        checkJsonForm(text)
      }),
    )
  })

  test('invalid JSON never breaks the walk', () => {
    const piece = fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', 'a', '\\u00', ' ')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        try {
          checkJsonForm(pieces.join(''))
        } catch (error) {
          expect((error as { type: string }).type).toBe('invalid_request')
        }
      }),
    )
  })
})
