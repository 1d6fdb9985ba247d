// The HTML around the reference and around a document: the bar with the places, and on a document its list of headings. No script
// and no style is inline. docs/spec/reference.md#reference-pages
import { html } from '#html/html'
import { addressOf } from './assets.ts'
import type { Rendered } from './markdown.ts'

const places = [
  ['/docs', 'API reference'],
  ['/docs/guides/sellers', 'Guide'],
  ['/docs/guides/agents', 'Agents'],
  ['/docs/guides/command-line', 'Command line'],
  ['/docs/events', 'Events'],
  ['/docs/mcp#tools', 'MCP tools'],
  ['/docs/errors', 'Errors'],
] as const

/** The page that Scalar fills. */
export function referencePage(): string {
  const scripts = html`<script defer src="${addressOf('reference.js')}"></script>
<script defer src="${addressOf('scalar.js')}"></script>
`
  const content = html`<div id="reference"></div>
<noscript><p>The reference needs JavaScript. Without it: <a href="/openapi.json">/openapi.json</a> and the guides above.</p></noscript>`
  return shell('/docs', 'API reference', content, scripts)
}

/** The page of a document. */
export function documentPage(path: string, { title, body, headings }: Rendered): string {
  const contents = headings
    .filter(({ depth }) => depth === 2 || depth === 3)
    .map(
      ({ depth, anchor, text }) => html`<li class="level-${depth}"><a href="#${anchor}">${text}</a></li>
`,
    )
  const content = html`<div class="columns">
<nav class="contents" aria-label="On this page"><ul>
${contents}</ul></nav>
<main>
${body}</main>
</div>`
  return shell(path, title, content, html``)
}

function shell(
  path: string,
  title: string,
  content: ReturnType<typeof html>,
  scripts: ReturnType<typeof html>,
): string {
  const links = places.map(([href, label]) =>
    href.split('#')[0] === path
      ? html`<a href="${href}" aria-current="page">${label}</a>
`
      : html`<a href="${href}">${label}</a>
`,
  )
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – Storefront</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${addressOf('docs.css')}">
${scripts}</head>
<body>
<header class="bar"><a class="brand" href="/">Storefront</a><nav aria-label="Documentation">
${links}</nav></header>
${content}
</body>
</html>
`.html
}
