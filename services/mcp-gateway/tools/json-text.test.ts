// Guarantees of json-text.ts.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { jsonText } from './json-text.ts'

const plain = (document: string) => JSON.stringify(document)

test('a document as text is what JSON.stringify makes of it, for any document in any layout', () => {
  const documents = fc
    .tuple(fc.json({ stringUnit: 'binary' }), fc.constantFrom(0, 2))
    .map(([json, spaces]) => JSON.stringify(JSON.parse(json), null, spaces))
  fc.assert(
    fc.property(documents, (document) => {
      expect(jsonText(Buffer.from(document)).toString()).toBe(plain(document))
    }),
  )
})

test.each(['', '""', '"\\""', '{"a":"ä\\\\ 漢 🎉\\n\\u2028"}', '[\n\t1 ]', `["${'x'.repeat(50_000)}"]`])(
  'so is %.40s',
  (document) => {
    expect(jsonText(Buffer.from(document)).toString()).toBe(plain(document))
  },
)
