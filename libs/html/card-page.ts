// A small page of one card, light or dark as the reader's system is: its shell, its style and its response headers
// (docs/spec/double-opt-in.md#page-headers). The style is inline and allowed by its hash; nothing is loaded over the network.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Html, html, markup } from './html.ts'

const tokens = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8')
const cardStyle = `
${tokens}*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column; align-items: center;
  justify-content: center; gap: 20px; padding: 32px 16px; background: var(--ground); color: var(--ink);
  font: 17px/1.55 var(--sans);
  overflow-wrap: anywhere;
}
header { display: flex; align-items: center; gap: 12px; max-width: 30rem; font-weight: 600; }
header span {
  flex: none; display: grid; place-items: center; width: 40px; height: 40px; border-radius: 12px;
  background: var(--accent); color: var(--on-accent); font-size: 20px; line-height: 1;
}
main {
  width: 100%; max-width: 30rem; padding: 36px 32px 32px; border: 1px solid var(--line); border-radius: 20px;
  background: var(--card); box-shadow: var(--shade);
}
svg { display: block; width: 56px; height: 56px; margin: 0 0 18px; color: var(--accent); }
h1 { margin: 0 0 12px; font-size: 27px; line-height: 1.2; letter-spacing: -0.015em; text-wrap: balance; }
p { margin: 0 0 16px; text-wrap: pretty; }
blockquote { margin: 0 0 24px; padding: 14px 18px; border-radius: 12px; background: var(--tint); }
form { margin: 0; }
label { display: block; margin: 0 0 6px; font-weight: 600; }
label small { color: var(--soft); font-size: 15px; font-weight: 400; }
input {
  display: block; width: 100%; min-height: 50px; margin: 0 0 18px; padding: 10px 14px; border: 1px solid var(--soft);
  border-radius: 12px; background: var(--ground); color: inherit; font: inherit;
}
input[aria-invalid='true'] { border-color: var(--warn); }
button {
  display: block; width: 100%; min-height: 52px; padding: 12px 20px; border: 0; border-radius: 12px;
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 650; cursor: pointer;
}
button:hover { background: var(--accent-strong); }
a { color: var(--accent); text-underline-offset: 3px; }
a:hover { color: var(--accent-strong); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; border-radius: 12px; }
.problem { padding: 12px 16px; border-radius: 12px; background: var(--warn-tint); color: var(--warn); font-weight: 600; }
.aside { margin: 20px 0 0; color: var(--soft); font-size: 15px; }
main > ul { margin: 0; padding: 0; list-style: none; }
main > ul li { padding: 12px 0 14px; border-top: 1px solid var(--line); }
main > ul li:last-child { padding-bottom: 0; }
main > ul a { font-weight: 600; }
main > ul span { display: block; color: var(--soft); font-size: 15px; }
main > :last-child { margin-bottom: 0; }
@media (max-width: 480px) {
  body { justify-content: flex-start; padding-top: 28px; }
  main { padding: 28px 22px 24px; }
  h1 { font-size: 24px; }
}
`

const styleHash = createHash('sha256').update(cardStyle).digest('base64')

/** The headers of such a page. */
export const cardHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    'img-src data:', // The empty icon, which keeps browsers from requesting /favicon.ico.
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
}

/** The whole page. `top` stands above the card. */
export function cardPage(title: string, top: Html | null, content: readonly (Html | null)[]): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${markup(cardStyle)}</style>
</head>
<body>
${top}
<main>
${content.filter((part) => part !== null)}
</main>
</body>
</html>
`.html
}
