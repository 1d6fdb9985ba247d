// The HTTP client of the command line for the back office. Its errors say in words what happened and which exit status follows.
import { whyUnreachable } from '#network/unreachable'
import { refused, unreachable } from '../failure.ts'

export type Json = { [field: string]: unknown }
export type Query = Record<string, string | undefined>
type Page = { data: Json[]; next_cursor: string | null }
export type BackOffice = {
  /** The address of the API, without a closing slash. */
  url: string
  token: string
  /** The `data` of the answer. */
  call(method: string, path: string, body?: Json, headers?: Record<string, string>): Promise<Json>
  /** The bytes of an answer of any size; they end early where the connection does. */
  download(path: string): AsyncGenerator<Uint8Array, void, undefined>
  /** All pages of a list. */
  pages(path: string, query: Query): AsyncGenerator<Json[], void, undefined>
  /** The first rows of a list, over several pages where needed. */
  walk(path: string, query: Query, rowsMax: number): AsyncGenerator<Json, void, undefined>
  /** Throws unless the address is that of a back office; asks without the token, and once. */
  check(): Promise<void>
}

const PAGE_ROWS = 100
const BASE_PATH = '/admin/v1'

/** `origin` is an address as `--url` takes it. */
export function openBackOffice(origin: string, token: string): BackOffice {
  const url = `${origin}${BASE_PATH}`
  let checked: Promise<void> | null = null
  const check = () => (checked ??= checkBackOffice(url))
  const request = async (method: string, path: string, body?: Json, headers: Record<string, string> = {}) => {
    await check()
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await send(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...type, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return answerOf(response.status, await textOf(url, response))
  }
  const pages = async function* (path: string, query: Query): AsyncGenerator<Json[], void, undefined> {
    const search = new URLSearchParams({ limit: String(PAGE_ROWS) })
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value)
    for (;;) {
      const page = (await request('GET', `${path}?${search.toString()}`)) as Page
      yield page.data
      if (page.next_cursor === null) return
      search.set('cursor', page.next_cursor)
    }
  }
  const download = async function* (path: string): AsyncGenerator<Uint8Array, void, undefined> {
    await check()
    const response = await send(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })
    if (response.status !== 200 || response.body === null) answerOf(response.status, await textOf(url, response))
    try {
      for await (const bytes of response.body ?? []) yield bytes
    } catch (error) {
      throw unreachable(`The answer ended before it was complete: ${whyUnreachable(error)}.`)
    }
  }
  return {
    url,
    token,
    check,
    download,
    call: async (method, path, body, headers) => (await request(method, path, body, headers)).data as Json,
    pages,
    async *walk(path, query, rowsMax) {
      let left = rowsMax
      for await (const page of pages(path, { ...query, limit: String(Math.min(rowsMax, PAGE_ROWS)) })) {
        for (const row of page.slice(0, left)) yield row
        left -= page.length
        if (left <= 0) return
      }
    },
  }
}

/** All rows as an array. */
export async function gather<Row>(rows: Iterable<Row> | AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = []
  for await (const row of rows) all.push(row)
  return all
}

/** The body of an answer; throws a refusal with the words of the back office. */
export function answerOf(status: number, text: string): Json {
  if (status === 204) return { data: {} }
  const body = parsed(text)
  if (status < 300 && (body.data ?? null) !== null) return body
  const { code, message } = (body.error ?? {}) as { code?: string; message?: string }
  if (status < 300 || code === undefined) throw unreachable(`A server in front of the back office answered ${status}.`)
  throw refused(`${message} (${code})`.replaceAll(/\p{Cc}+/gu, ' '), code) // A terminal would interpret control characters.
}

// The answer shows whose it is, also a refusal, and a call without a token counts against nobody:
// docs/spec/back-office.md#authentication docs/spec/operators-and-roles.md#refusals
async function checkBackOffice(url: string): Promise<void> {
  const { headers } = await send(`${url}/shops`, {})
  if (headers.get('storefront-api') === 'back-office') return
  const words = 'The token was not sent. The back office listens on ADMIN_PORT, which is 3100 by default.'
  throw unreachable(`There is no back office at ${new URL(url).origin}. ${words}`)
}

function textOf(url: string, response: Response): Promise<string> {
  return response.text().catch((error: unknown) => {
    throw cannotBeReached(url, error)
  })
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'manual' }) // A redirect would take the token along.
  } catch (error) {
    throw cannotBeReached(url, error)
  }
}

/** The failure of a request that got no answer. */
export function cannotBeReached(url: string, error: unknown): Error {
  return unreachable(
    `The back office at ${new URL(url).origin} cannot be reached: ${whyUnreachable(error)}. Is it running?`,
  )
}

function parsed(text: string): Json {
  try {
    return (JSON.parse(text) as Json | null) ?? {}
  } catch {
    return {} // As from a proxy.
  }
}
