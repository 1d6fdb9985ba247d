// The pages of the double opt-in: the links of a mail and a shop's signup form (docs/spec/double-opt-in.md#pages). There is no key,
// no cookie and no check of Origin: the token is the permission, and one-click unsubscribe (RFC 8058) posts from anywhere, with any
// body. The log has the pattern of the path, because the path contains the token. Forms have a budget by source address, which a
// valid link does not use: mail providers unsubscribe many people from few addresses (docs/spec/double-opt-in.md#form-budget).
import type { ServiceContext } from '#runtime/service'
import { asBuffer } from '#runtime/middlewares/large-response'
import type { Caller, Shop } from '#contracts/caller'
import { refusalCode, refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { isOneLine, isStorable } from '#contracts/input/text'
import { readBytes } from '#http/body'
import type { Calls } from '#calls/calls'
import type { GatewayContext } from '#http/exchange'
import { failureOf } from '#http/failure'
import { answer as answerBytes } from '#http/respond'
import { openClients } from '#network/client-address'
import { cardHeaders } from '#html/card-page'
import { openSourceBudget } from '#http/source-budget'
import {
  checkMailbox,
  confirmed,
  confirmQuestion,
  failed,
  noSuchShop,
  notMeDone,
  notMeQuestion,
  notValid,
  signupForm,
} from './html.ts'

type RoutedContext = GatewayContext & { params: Record<string, string> }
type Page = { status: number; html: string; headers?: Record<string, string> }
type Route = { method: 'GET' | 'POST'; path: string; answer(ctx: RoutedContext): Promise<void> }

/** The routes of the pages. */
export function pages(context: ServiceContext, calls: Calls): Route[] {
  const clientOf = openClients(context.settings.trustedProxies)
  const budget = openSourceBudget(limits.formsPerMinute)
  return [
    page('GET', '/opt-in/{token}', showQuestion),
    page('POST', '/opt-in/{token}', confirm),
    page('GET', '/opt-in/{token}/not-me', showNotMe),
    page('POST', '/opt-in/{token}/not-me', suppress),
    page('GET', '/s/{handle}/signup', showSignup),
    page('POST', '/s/{handle}/signup', signUp),
  ]

  async function showQuestion(ctx: RoutedContext): Promise<Page> {
    const { token = '' } = ctx.params
    const found = (await calls.read('contacts.opt_in_find', { token }, metaOf(ctx))) as OptIn
    if (found === null) return { status: 404, html: notValid() }
    const html =
      found.state === 'confirmed'
        ? confirmed(found.shopName)
        : confirmQuestion(found.shopName, `/opt-in/${token}/not-me`)
    return { status: 200, html }
  }

  function confirm(ctx: RoutedContext): Promise<Page> {
    return answerPost(ctx, 'contacts.opt_in_confirm', confirmed)
  }

  async function showNotMe(ctx: RoutedContext): Promise<Page> {
    const { token = '' } = ctx.params
    const sender = (await calls.read('contacts.opt_in_sender', { token }, metaOf(ctx))) as Sender
    return sender === null ? { status: 404, html: notValid() } : { status: 200, html: notMeQuestion(sender.shopName) }
  }

  function suppress(ctx: RoutedContext): Promise<Page> {
    return answerPost(ctx, 'contacts.opt_in_suppress', notMeDone)
  }

  async function answerPost(
    ctx: RoutedContext,
    action: 'contacts.opt_in_confirm' | 'contacts.opt_in_suppress',
    done: (shopName: string) => string,
  ): Promise<Page> {
    const { source, address } = charge(ctx)
    const { token = '' } = ctx.params
    const agent = ctx.get('user-agent') || null
    const sender = (await calls.command(action, { token, address, agent }, metaOf(ctx))) as Sender
    if (sender === null) return { status: 404, html: notValid() }
    budget.giveBack(source)
    return { status: 200, html: done(sender.shopName) }
  }

  async function showSignup(ctx: RoutedContext): Promise<Page> {
    charge(ctx)
    const shop = await findShop(ctx)
    return shop === null ? { status: 404, html: noSuchShop() } : { status: 200, html: signupForm(shop.name) }
  }

  async function signUp(ctx: RoutedContext): Promise<Page> {
    charge(ctx)
    const shop = await findShop(ctx)
    if (shop === null) return { status: 404, html: noSuchShop() }
    const form = new URLSearchParams((await readBytes(ctx)).toString())
    const email = form.get('email') ?? ''
    const name = form.get('name') ?? ''
    try {
      const person = { email, name: isName(name) ? name : null }
      await calls.commandWithMail('contacts.signup', person, { ...metaOf(ctx), caller: shop.caller })
    } catch (error) {
      if (refusalCode(error) !== 'invalid_request') throw error
      const problem = 'No mail can be sent to this address. Please check how it is written.'
      return { status: 400, html: signupForm(shop.name, { email, name, problem }) }
    }
    return { status: 200, html: checkMailbox(shop.name) }
  }

  /** A caller for the shop with the handle in the path, and the name of the shop; null where there is none. */
  async function findShop(ctx: RoutedContext): Promise<{ caller: Caller; name: string } | null> {
    const { handle = '' } = ctx.params
    const shop = (await calls.read('shops.find', { shop: handle }, metaOf(ctx)).catch(nullIfUnknown)) as Shop | null
    if (shop === null || shop.handle !== handle) return null // `shops.find` takes an id too.
    const caller = { ...shop, keyId: null, canWrite: true }
    const body = await calls.read('shop.get', {}, { ...metaOf(ctx), caller })
    const { data } = JSON.parse(asBuffer(body).toString()) as { data: { name: string } }
    return { caller, name: data.name }
  }

  /** Takes one request from the budget of the source address. Refuses rate_limited. */
  function charge(ctx: RoutedContext) {
    const client = clientOf(ctx.req.socket.remoteAddress, ctx.req.headers['x-forwarded-for'])
    const waitS = budget.take(client.source)
    if (waitS === 0) return client
    throw refuse('rate_limited', 'Too many forms from this address.', { retry_after_s: waitS })
  }

  function page(method: Route['method'], path: string, make: (ctx: RoutedContext) => Promise<Page>): Route {
    return {
      method,
      path,
      async answer(ctx) {
        ctx.state.route = path
        const { status, html, headers = {} } = await make(ctx).catch((error: unknown) => failurePage(ctx, error))
        ctx.set({ ...cardHeaders, ...headers })
        await answerBytes(ctx, Buffer.from(html), status)
      },
    }
  }

  // Logged here, because the gateway's own logging sees an ordinary answer.
  function failurePage(ctx: RoutedContext, error: unknown): Page {
    const { requestId } = ctx.state
    const { status, headers } = failureOf(error, requestId)
    if (status >= 500) context.log.error({ error, request_id: requestId }, 'request failed')
    return { status, headers, html: failed() }
  }
}

type OptIn = { state: 'open' | 'confirmed'; shopName: string } | null
type Sender = { shopName: string } | null

function metaOf(ctx: RoutedContext) {
  return { request_id: ctx.state.requestId }
}

// The name is optional: one that cannot be stored is dropped instead of refused.
function isName(text: string): boolean {
  return text.length <= limits.wordLengthMax && isStorable(text) && isOneLine(text)
}

function nullIfUnknown(error: unknown): null {
  const code = refusalCode(error)
  if (code === 'not_found' || code === 'invalid_request') return null
  throw error
}
