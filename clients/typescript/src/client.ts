// The clients of the public API and of the back office. docs/spec/clients.md#typescript-client
import { type CompareOptions, type Copy, compare, type Difference } from './compare.ts'
import { backOffice, storefront } from './generated/operations.ts'
import type { components, paths } from './generated/storefront.ts'
import type { components as BackOfficeComponents, paths as backOfficePaths } from './generated/back-office.ts'
import type { CallOptions, Connection } from './request.ts'
import { live } from './live.ts'
import { type List, list, partOf, type QueryOf, type Surface, surface } from './surface.ts'
import type { WebhookEvent } from './webhook.ts'

export type { CompareOptions, Copy, Difference } from './compare.ts'
export { StorefrontError, WebhookError } from './error.ts'
export type { CallOptions } from './request.ts'
export type { List, Page } from './surface.ts'
export { type VerifyOptions, verifyWebhook, type WebhookEvent, type WebhookRequest } from './webhook.ts'

/** The objects of the public API by name: `Schemas['Order']`. */
export type Schemas = components['schemas']
/** The objects of the back office by name. */
export type BackOfficeSchemas = BackOfficeComponents['schemas']

type ClientOptions = {
  /** Where the product is: `https://shop.example.com`. */
  baseUrl: string
  /** Milliseconds that one attempt of a call may take; 60,000 by default. */
  timeout?: number
  /** Another `fetch`, for example one with a proxy. */
  fetch?: typeof fetch
}
export type StorefrontOptions = ClientOptions & {
  /** The secret of an API key. */
  key: string
}
export type BackOfficeOptions = ClientOptions &
  (
    | {
        /** The token of an operator. */
        token: string
      }
    | {
        /** In a page of the back office: the browser sends the cookie of the session. */
        session: true
      }
  )

type PublicSurface = Surface<paths, typeof storefront>
type SavedContact = Schemas['SavedContact']
type Saved = Pick<SavedContact, 'optInSent' | 'droppedTags' | 'ignored'> & { contact: Schemas['Contact'] }
type EventQuery = QueryOf<NonNullable<paths['/events']['get']['parameters']['query']>>

type Comparable = {
  /** Compares a copy with the shop: what it lacks, what is gone and what has changed unseen. Polls beside it do no harm. */
  compare(copy: Copy, options?: CompareOptions): Promise<Difference>
}

export type Storefront = Omit<PublicSurface, 'orders' | 'products' | 'contacts' | 'events'> & {
  orders: PublicSurface['orders'] & Comparable
  products: PublicSurface['products'] & Comparable
  contacts: Omit<PublicSurface['contacts'], 'save'> &
    Comparable & {
      /** Creates a contact, or updates the one with that email or phone; may send the opt-in mail. */
      save(body: Parameters<PublicSurface['contacts']['save']>[0], options?: CallOptions): Promise<Saved>
    }
  events: {
    /** Newest first without a cursor, what came after it with one. */
    list(query?: EventQuery, options?: CallOptions): List<WebhookEvent>
    /** Events as they happen, without an end: those behind `cursor`, or from now on. */
    follow(query?: Omit<EventQuery, 'wait'>, options?: CallOptions): List<WebhookEvent>
  }
}
type BackOfficeSurface = Surface<backOfficePaths, typeof backOffice>
type Replays = BackOfficeSurface['replays']
type ReplayBody = Parameters<Replays['create']>[2]

/** What happens in a shop: a request of a key, an attempt of a delivery, or how many of both were left out. */
export type LiveEvent =
  | { event: 'request'; data: BackOfficeSchemas['Request'] }
  | { event: 'delivery'; data: BackOfficeSchemas['LiveDelivery'] }
  | { event: 'skipped'; data: BackOfficeSchemas['Skipped'] }

export type BackOffice = Omit<BackOfficeSurface, 'replays' | 'requests'> & {
  requests: BackOfficeSurface['requests'] & {
    /** Requests and delivery attempts as they happen, without an end. A lost connection is opened again. */
    live(shop: string, options?: Pick<CallOptions, 'signal' | 'timeout'>): AsyncIterableIterator<LiveEvent>
  }
  replays: Omit<Replays, 'create'> & {
    /** Queues the events of a time range again. */
    create(
      shop: string,
      id: string,
      body: ReplayBody,
      options?: CallOptions,
    ): Promise<BackOfficeSchemas['WebhookReplay']>
    /** What the replay would cover; queues nothing. */
    preview(
      shop: string,
      id: string,
      body: ReplayBody,
      options?: CallOptions,
    ): Promise<BackOfficeSchemas['ReplayPreview']>
  }
}

/** A client of the public API, for one shop. */
export function createStorefront({ key, ...options }: StorefrontOptions): Storefront {
  const connection = connectionOf(options, '/api/v1', bearer(key))
  const { orders, products, contacts, events, ...rest } = surface(connection, storefront) as PublicSurface
  return {
    ...rest,
    orders: comparable(orders),
    products: comparable(products),
    contacts: {
      ...comparable(contacts),
      async save(body, given) {
        const { optInSent, droppedTags, ignored, ...contact } = await contacts.save(body, given)
        return { contact, optInSent, droppedTags, ignored }
      },
    },
    events: {
      list: events.list as Storefront['events']['list'],
      follow: (query, given) => follow(connection, query, given),
    },
  }
}

function comparable<Api extends Pick<PublicSurface['orders'], 'listStamps'>>(api: Api): Api & Comparable {
  return {
    ...api,
    compare: (copy, { updatedAfter, ...options } = {}) => compare(api.listStamps({}, options), copy, updatedAfter),
  }
}

/** A client of the back office. */
export function createBackOffice(options: BackOfficeOptions): BackOffice {
  // A page of another site cannot set this header.
  const credential = 'token' in options ? bearer(options.token) : { 'x-storefront-console': '1' }
  const connection = connectionOf(options, '/admin/v1', credential)
  const { replays, requests, ...rest } = surface(connection, backOffice) as BackOfficeSurface
  return {
    ...rest,
    requests: {
      ...requests,
      live: (shop, given) => live<LiveEvent>(connection, `/shops/${partOf(shop)}/live`, given),
    },
    replays: {
      ...replays,
      create: ((shop, id, body, given) => replays.create(shop, id, body, {}, given)) as BackOffice['replays']['create'],
      preview: ((shop, id, body, given) =>
        replays.create(shop, id, body, { dryRun: true }, given)) as BackOffice['replays']['preview'],
    },
  }
}

function bearer(secret: string) {
  return { authorization: `Bearer ${secret}` }
}

function connectionOf(
  { baseUrl, timeout = 60_000, fetch = globalThis.fetch }: ClientOptions,
  path: string,
  credential: Connection['credential'],
): Connection {
  return { url: `${baseUrl.replace(/\/+$/, '')}${path}`, credential, timeout, fetch }
}

function follow(
  connection: Connection,
  query: Omit<EventQuery, 'wait'> = {},
  options?: CallOptions,
): List<WebhookEvent> {
  const from = (cursor: string | null | undefined) =>
    list<WebhookEvent>(connection, '/events', { ...query, cursor, wait: 25 }, options, true)
  async function* pages() {
    if (query.cursor !== undefined) return yield* from(query.cursor).pages()
    for await (const { next_cursor } of list(connection, '/events', { ...query, limit: 1 }, options).pages())
      yield* from(next_cursor).pages()
  }
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pages()) yield* data
    },
  }
}
