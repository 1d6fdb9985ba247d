// The HTTP client of the command line for the back office.
export type Json = { [field: string]: unknown }
type Page = { data: Json[]; has_more: boolean; next_cursor: string | null }
type Query = Record<string, string | undefined>
export type AdminClient = {
  url: string
  token: string
  /** The `data` of the response; throws the message of an error. */
  call(method: string, path: string, body?: Json): Promise<Json>
  /** All pages of a list. */
  pages(path: string, query: Query): AsyncGenerator<Json[], void, undefined>
  /** The first `rowsMax` rows of a list, over several pages where needed. */
  walk(path: string, query: Query, rowsMax: number): Promise<Json[]>
}

const PAGE_ROWS = 100

export function openAdminClient(url: string, token: string): AdminClient {
  const base = `${url.replace(/\/+$/, '')}/admin/v1`
  const request = async (method: string, path: string, body?: Json): Promise<Json> => {
    const response = await send(`${base}${path}`, {
      method,
      redirect: 'manual',
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const parsed = parseResponse(await response.text())
    if (!response.ok) throw new Error(messageOf(response.status, parsed))
    return parsed
  }
  const pages = async function* (path: string, query: Query): AsyncGenerator<Json[], void, undefined> {
    let cursor: string | null = null
    do {
      const set: Query = { limit: String(PAGE_ROWS), ...query, cursor: cursor ?? undefined }
      const given = Object.entries(set).filter((pair): pair is [string, string] => pair[1] !== undefined)
      const page = (await request('GET', `${path}?${new URLSearchParams(given).toString()}`)) as Page
      yield page.data
      cursor = page.next_cursor
    } while (cursor !== null)
  }
  return {
    url: base,
    token,
    call: async (method, path, body) => (await request(method, path, body)).data as Json,
    pages,
    async walk(path, query, rowsMax) {
      const rows: Json[] = []
      for await (const page of pages(path, { ...query, limit: String(Math.min(rowsMax, PAGE_ROWS)) })) {
        rows.push(...page)
        if (rows.length >= rowsMax) break
      }
      return rows.slice(0, rowsMax)
    },
  }
}

/**
 * Throws unless a back office listens at the address of the client. Asked without the token, which only a back office may see.
 * docs/spec/back-office.md#authentication
 */
export async function checkBackOffice({ url }: AdminClient): Promise<void> {
  const { headers } = await send(`${url}/shops`, { redirect: 'manual' })
  if (headers.get('storefront-api') === 'back-office') return
  const words = 'The token was not sent. The back office listens on ADMIN_PORT, which is 3100 where nothing is set.'
  throw new Error(`There is no back office at ${new URL(url).origin}. ${words}`)
}

/** The JSON of a response; an empty object where it is not JSON, as from a server that is not the back office. */
export function parseResponse(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return {}
  }
}

/** The message of an error response, with its code. */
export function messageOf(status: number, response: Json): string {
  const { code, message } = (response.error ?? {}) as { code?: string; message?: string }
  return code === undefined ? `Something that is no back office answered with ${status}.` : `${message} (${code})`
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
    throw new Error(
      `The back office at ${new URL(url).origin} cannot be reached: ${cause || 'no answer'}. Is it started?`,
    )
  }
}
