// Owns the calls of the command line to the back office.
type Json = { [field: string]: unknown }
type Page = { data: Json[]; has_more: boolean; next_cursor: string | null }
export type Door = {
  url: string
  token: string
  /** The `data` of the answer; throws the refusal's words. */
  call(method: string, path: string, body?: Json): Promise<Json>
  /** The rows of a list, over as many pages as it takes, at most `rowsMax`. */
  walk(path: string, query: Record<string, string | undefined>, rowsMax: number): Promise<Json[]>
}

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
  return {
    url: base,
    token,
    call: async (method, path, body) => (await send(method, path, body)).data as Json,
    async walk(path, query, rowsMax) {
      const rows: Json[] = []
      let cursor: string | null = null
      do {
        const set: Record<string, string | undefined> = {
          ...query,
          limit: String(Math.min(rowsMax - rows.length, 100)),
          cursor: cursor ?? undefined,
        }
        const given = Object.entries(set).filter((pair): pair is [string, string] => pair[1] !== undefined)
        const page = (await send('GET', `${path}?${new URLSearchParams(given).toString()}`)) as Page
        rows.push(...page.data)
        cursor = page.next_cursor
      } while (cursor !== null && rows.length < rowsMax)
      return rows
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
