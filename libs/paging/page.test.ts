// The bytes of page bodies: docs/spec/rest-api.md#paging
import { describe, expect, test } from '@jest/globals'
import { limits } from '#contracts/limits'
import { pageBody, utf8Of } from './page.ts'

const letters = {
  ASCII: 'mug',
  'Latin-1': 'Tasse à thé',
  'wider letters': 'kubek, puchar, čaj, 茶',
  'pairs of units': 'mug 🫖',
}

describe.each(Object.entries(letters))('a text of %s', (_name, letter) => {
  test.each([1, 400, 2 * limits.busBytesMax])('has the bytes of its UTF-8, also with %i letters', (count) => {
    const text = letter.repeat(Math.ceil(count / letter.length))
    expect(utf8Of(text).equals(new TextEncoder().encode(text))).toBe(true)
    expect(utf8Of('<', text, 'é', '>').equals(new TextEncoder().encode(`<${text}é>`))).toBe(true)
  })

  test('is whole in the body of a page, which no later page overwrites', () => {
    const document = JSON.stringify({ title: letter })
    const body = pageBody([document, document], null)
    pageBody(['"another page"'], 'a-cursor')
    expect(body.toString()).toBe(`{"data":[${document},${document}],"has_more":false,"next_cursor":null}`)
  })
})
