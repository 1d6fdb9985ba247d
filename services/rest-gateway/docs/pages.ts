// `GET /docs`: the rendered reference, the guides, the event catalogue, the MCP tools and the error codes, from the documents of this
// repository. They need no key and change with a release only. docs/spec/reference.md#reference-pages
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventKinds } from '#contracts/objects/webhook-event'
import { html } from '#html/html'
import { keepCompressed } from '#http/compression'
import type { GatewayContext } from '#http/exchange'
import { answer } from '#http/respond'
import type { SlowReaders } from '#http/slow-readers'
import { examples } from '../reference/examples.ts'
import { assetRoutes } from './assets.ts'
import { documentPage, referencePage } from './layout.ts'
import { type Rendered, renderMarkdown } from './markdown.ts'
import { policy } from './policy.ts'

type Route = { path: string; answer(ctx: GatewayContext): void | Promise<void> }

// Documents by the path of their page. Read when the process starts: one that is missing stops it.
const documents = Object.entries({
  '/docs/guides/sellers': 'docs/guides/sellers.md',
  '/docs/guides/agents': 'docs/guides/agents.md',
  '/docs/guides/command-line': 'docs/guides/command-line.md',
  '/docs/errors': 'docs/guides/errors.md',
  '/docs/events': 'docs/spec/events.md',
  '/docs/mcp': 'docs/spec/mcp.md',
  '/docs/rest-api': 'docs/spec/rest-api.md',
  '/docs/objects': 'docs/spec/objects.md',
  '/docs/sync': 'docs/spec/sync.md',
  '/docs/webhooks': 'docs/spec/webhooks.md',
  '/docs/double-opt-in': 'docs/spec/double-opt-in.md',
  '/docs/order-states': 'docs/spec/order-states.md',
  '/docs/subscription-states': 'docs/spec/subscription-states.md',
  '/docs/imports': 'docs/spec/imports.md',
}).map(([path, file]) => ({ path, file, text: readFileSync(join(import.meta.dirname, '../../..', file), 'utf8') }))
const paths = new Map(documents.map(({ path, file }) => [file, path]))

/** The routes, all of them for GET. */
export function docsRoutes(readers: SlowReaders): Route[] {
  return [
    page('/docs', referencePage),
    ...documents.map(({ path, file, text }) =>
      page(path, () => {
        const rendered = renderMarkdown(text, file, (linked) => paths.get(linked) ?? null)
        return documentPage(path, path === '/docs/events' ? withBodies(rendered) : rendered)
      }),
    ),
    ...assetRoutes(readers),
  ]
}

// Rendered at the first request, then kept.
function page(path: string, render: () => string): Route {
  let made: { body: Buffer; etag: string } | undefined
  return {
    path,
    async answer(ctx) {
      ctx.state.route = path
      if (made === undefined) {
        const body = Buffer.from(render())
        keepCompressed(body)
        // Weak: it is the same for all codings.
        made = { body, etag: `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` }
      }
      ctx.set({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'content-security-policy': policy,
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        etag: made.etag,
      })
      ctx.vary('accept-encoding')
      ctx.status = 200
      if (ctx.fresh) ctx.status = 304
      else await answer(ctx, made.body)
    },
  }
}

function withBodies({ title, body, headings }: Rendered): Rendered {
  const bodies = eventKinds.map(
    (kind) => html`<details id="${kind}"><summary><code>${kind}</code></summary>
<pre><code>${JSON.stringify(examples.events[kind], null, 2)}</code></pre></details>
`,
  )
  const whole = html`${body}<h2 id="example-bodies">Example bodies</h2>
${bodies}`
  return { title, body: whole, headings: [...headings, { depth: 2, anchor: 'example-bodies', text: 'Example bodies' }] }
}
