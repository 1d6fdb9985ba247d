// What the request log keeps of a message (docs/spec/request-log.md#request-log).
import { expect, test } from '@jest/globals'
import { ownWords } from './own-words.ts'

test.each([
  ['a known field stays', 'tags[1] must be text.', 'tags[1]', 'tags[1] must be text.'],
  ['a parameter stays', 'created_after must be an instant.', 'created_after', 'created_after must be an instant.'],
  ['a field of the caller does not', 'jane@example.com must be text.', 'jane@example.com', '"…" must be text.'],
  [
    'nor one below a known field',
    'A field name in email.jane@a.b is bad.',
    'email.jane@a.b',
    'A field name in "…" is bad.',
  ],
  ['nor a quoted text', 'No tool "jane\\"s" can be called.', null, 'No tool "…" can be called.'],
  ['nor one whose quote is open', 'No tool "jane', null, 'No tool "…"'],
  ['U+0000 and halves of pairs are replaced', 'a\u0000 \ud83d', null, 'a\ufffd \ufffd'],
])('%s', (_name, message, param, kept) => {
  expect(ownWords(message, param)).toBe(kept)
})

test('what is cut is text that can be stored', () => {
  expect(ownWords(`${'a'.repeat(499)}😀`, null)).toBe(`${'a'.repeat(499)}\ufffd`)
})

// By a pattern that goes back at each quote this takes half an hour.
test('a message of quotes takes linear time', () => {
  expect(ownWords(`No tool "${'\\"'.repeat(1_000_000)}`, null)).toBe('No tool "…"')
})
