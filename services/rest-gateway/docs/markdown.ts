// Renders a document of docs/ as HTML, with the anchors that its headings have in the repository. A link to a document that has a page
// leads to the page; of any other link into the repository only the words stay. Pictures are left out, because only the
// repository has them. docs/spec/reference.md#reference-pages
import { posix } from 'node:path'
import { Marked, type Tokens } from 'marked'
import { type Html, html, markup } from '#html/html'

export type Heading = { depth: number; anchor: string; text: string }
export type Rendered = { title: string; body: Html; headings: Heading[] }

/** `file` is the path of the document from the root of the repository; `pathOf` returns the path of a document's page, or null. */
export function renderMarkdown(text: string, file: string, pathOf: (file: string) => string | null): Rendered {
  const headings: Heading[] = []
  const anchors = new Set<string>()
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: source }: Tokens.Heading) {
        const inner = this.parser.parseInline(tokens)
        const words = decoded(this.parser.parseInline(tokens, this.parser.textRenderer))
        const anchor = freeAnchor(source, anchors)
        headings.push({ depth, anchor, text: words })
        const link =
          depth === 1 ? '' : html`<a class="anchor" href="#${anchor}" aria-hidden="true" tabindex="-1">#</a>`.html
        return `<h${depth} id="${anchor}">${inner}${link}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens)
        const target = targetOf(href)
        const words = inner.replace(/^([a-z-]+)\.md$/, '$1') // A page is no file for its readers.
        return target === null ? words : `<a href="${html`${target}`.html}">${words}</a>`
      },
      paragraph({ tokens }: Tokens.Paragraph) {
        const inner = this.parser.parseInline(tokens)
        return inner === '' ? '' : `<p>${inner}</p>\n`
      },
      image: () => '',
      table(token: Tokens.Table) {
        const row = (cells: Tokens.TableCell[], tag: 'th' | 'td') =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>\n`
        const rows = token.rows.map((cells) => row(cells, 'td')).join('')
        return `<div class="wide" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${rows}</tbody></table></div>\n`
      },
    },
  })
  const body = markup(marked.parse(text, { async: false }))
  return { title: headings[0]?.text ?? '', body, headings }

  function targetOf(href: string): string | null {
    if (/^(https?:|#)/.test(href)) return href
    const [path = '', anchor] = href.split('#')
    const page = pathOf(posix.join(posix.dirname(file), path))
    if (page === null) return null
    return anchor === undefined ? page : `${page}#${anchor}`
  }
}

// As GitHub makes them, so that one link works in the repository and on the page.
function freeAnchor(heading: string, taken: Set<string>): string {
  const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
  const anchor = words.replaceAll(/[^\p{L}\p{N}\-_ ]/gu, '').replaceAll(' ', '-')
  let free = anchor
  for (let count = 1; taken.has(free); count += 1) free = `${anchor}-${count}`
  taken.add(free)
  return free
}

function decoded(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity)
}

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }
