// The page that `GET /` of a gateway answers to a browser; every other caller of that path is answered as on any unknown path
// (docs/spec/reference.md#reference-pages).
import { keepCompressed } from '#http/compression'
import type { GatewayContext, GatewayMiddleware } from '#http/exchange'
import { answer } from '#http/respond'
import { cardHeaders, cardPage } from './card-page.ts'
import { html } from './html.ts'

/** A link of the page: where it leads, its words, and what is there. */
export type FrontLink = { href: string; label: string; about: string }

/** Answers a browser before any key or operator is asked for. The page is made at the first request, when all ports are known. */
export function frontPage(title: string, about: string, linksOf: () => readonly FrontLink[]): GatewayMiddleware {
  let page: Buffer | undefined
  return async (ctx, next) => {
    if (ctx.path !== '/' || !isReading(ctx)) return next()
    ctx.vary('accept')
    if (ctx.accepts('json', 'html') !== 'html') return next()
    ctx.state.route = '/'
    ctx.set({ ...cardHeaders })
    page ??= pageOf(title, about, linksOf())
    await answer(ctx, page)
  }
}

function isReading({ method }: GatewayContext): boolean {
  return method === 'GET' || method === 'HEAD'
}

function pageOf(title: string, about: string, links: readonly FrontLink[]): Buffer {
  const items = links.map(
    ({ href, label, about: text }) => html`<li><a href="${href}">${label}</a><span>${text}</span></li>
`,
  )
  const content = [html`<h1>${title}</h1>`, html`<p>${about}</p>`, html`<ul>${items}</ul>`]
  const page = Buffer.from(cardPage(title, null, content))
  keepCompressed(page)
  return page
}
