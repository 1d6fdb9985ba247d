// No text becomes markup.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { html, markup } from './html.ts'

test('text is escaped in content and in attributes', () => {
  const name = `<script>"it's" & more</script>`
  expect(html`<p title="${name}">${name}</p>`.html).toBe(
    '<p title="&lt;script&gt;&quot;it&#39;s&quot; &amp; more&lt;/script&gt;">' +
      '&lt;script&gt;&quot;it&#39;s&quot; &amp; more&lt;/script&gt;</p>',
  )
})

test('markup is inserted unchanged, alone and in a list, and null is nothing', () => {
  const items = ['a', 'b<'].map((text) => html`<li>${text}</li>`)
  expect(html`<ul>${items}</ul>${markup('<hr>')}${null}${2}`.html).toBe('<ul><li>a</li><li>b&lt;</li></ul><hr>2')
})

test('no text opens a tag or ends an attribute', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(html`${text}`.html).not.toMatch(/[<>"']/)
    }),
  )
})
