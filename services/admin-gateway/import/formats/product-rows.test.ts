// HTML of descriptions (docs/spec/imports.md#html).
import { expect, test } from '@jest/globals'
import { importText } from '#testing/files/import-text'

/** The description of a product whose cell holds this HTML, and the codes of the problems. */
async function read(html: string) {
  const cell = `"${html.replaceAll('"', '""')}"`
  const { products, report } = await importText(`Handle,Title,Variant Price,Body (HTML)\nmug,Mug,1,${cell}\n`)
  return { description: products[0]?.product.description, codes: report.problems.map(({ code }) => code) }
}

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
  ['<p> </p>', null],
  ['First line\nSecond &amp; last', 'First line\nSecond & last'], // Without tags line breaks count.
])('%j', async (html, description) => {
  expect(await read(html)).toEqual({ description, codes: [] })
})

test('too many tags fail the product, so that no cell can block the process', async () => {
  expect(await read('<div>'.repeat(200_000))).toEqual({ description: undefined, codes: ['too_many_tags'] })
})

test('deeply nested tags cost neither the process nor the text before them', async () => {
  expect(await read(`before${'<div>'.repeat(19_000)}x`)).toEqual({ description: 'before', codes: [] })
})
