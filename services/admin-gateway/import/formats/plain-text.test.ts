// HTML of descriptions. import-formats.md, section 1, row "HTML".
import { expect, test } from '@jest/globals'
import { toPlainText } from './plain-text.ts'

test.each([
  ['<p>Black floor lamp</p>', 'Black floor lamp'],
  ['<h6><span>Care</span></h6>\n<p>Wash &amp; dry</p>', 'Care\n\nWash & dry'],
  ['a<br>b<br/>c', 'a\nb\nc'],
  ['<div>a</div><div>b</div>', 'a\nb'],
  ['<ul><li>one</li><li>two</li></ul>', '- one\n- two'],
  ['<ol><li>one</li><li>two</li></ol>', '- one\n- two'],
  ['<p>a</p><script>alert(1)</script><style>p{}</style><p>b</p>', 'a\n\nb'],
  ['a<br><br><br><br>b', 'a\n\nb'],
  ['<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>', 'a b\nc d'],
  ['<a href="https://example.com/">link</a> <img src="x.png" alt="picture">', 'link'],
  ['caf&eacute; &lt;3 &#8364;5', 'café <3 €5'],
  ['<p> </p>', ''],
])('%s', (html, text) => {
  expect(toPlainText(html)).toBe(text)
})

test('a description without tags keeps the line breaks that were typed', () => {
  expect(toPlainText('First line\nSecond &amp; last')).toBe('First line\nSecond & last')
})

test('more tags than any page has are refused, so that no cell can hold the process', () => {
  expect(toPlainText('<div>'.repeat(200_000))).toBeNull()
})

test('tags nested deeper than any page has cost neither the process nor the text before them', () => {
  expect(toPlainText(`before${'<div>'.repeat(19_000)}x`)).toBe('before')
})
