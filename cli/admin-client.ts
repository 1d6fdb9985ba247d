// Owns the calls of the command line to the back office.
export type Json = { [field: string]: unknown }
type Page = { data: Json[]; has_more: boolean; next_cursor: string | null }
type Query = Record<string, string | undefined>
export type Door = {
  url: string
  token: string
  /** The `data` of the answer; throws the refusal's words. */
  call(method: string, path: string, body?: Json): Promise<Json>
  /** The pages of a list, one after the other. */
  pages(path: string, query: Query): AsyncGenerator<Json[], void, undefined>
  /** The rows of a list, over as many pages as it takes, at most `rowsMax`. */
  walk(path: string, query: Query, rowsMax: number): Promise<Json[]>
}

const PAGE_ROWS = 100

export function openDoor(url: string, token: string): Door {
  const base = `${url.replace(/\/+$/, '')}/admin/v1`
  const send = async (method: string, path: string, body?: Json): Promise<Json> => {
    const response = await reach(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const answer = parsed(await response.text())
    if (!response.ok) throw new Error(refusalOf(response.status, answer))
    return answer
  }
  const pages = async function* (path: string, query: Query): AsyncGenerator<Json[], void, undefined> {
    let cursor: string | null = null
    do {
      const set: Query = { limit: String(PAGE_ROWS), ...query, cursor: cursor ?? undefined }
      const given = Object.entries(set).filter((pair): pair is [string, string] => pair[1] !== undefined)
      const page = (await send('GET', `${path}?${new URLSearchParams(given).toString()}`)) as Page
      yield page.data
      cursor = page.next_cursor
    } while (cursor !== null)
  }
  return {
    url: base,
    token,
    call: async (method, path, body) => (await send(method, path, body)).data as Json,
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

/** The JSON of an answer, or nothing where it is none: then something else answers at that address. */
export function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return {}
  }
}

/** The words of a refusal, with its code. */
export function refusalOf(status: number, answer: Json): string {
  const { code, message } = (answer.error ?? {}) as { code?: string; message?: string }
  return code === undefined ? `Something that is no back office answered with ${status}.` : `${message} (${code})`
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
    throw new Error(
      `The back office at ${new URL(url).origin} cannot be reached: ${cause || 'no answer'}. Is it started?`,
    )
  }
}
