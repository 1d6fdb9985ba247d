// Pages that are too large for one response of a service (docs/spec/internals.md#page-parts). The service answers the first rows and a
// cursor; the gateway reads the others like the next pages of a walk, each when its own reader has taken what came before, so that no
// process ever holds such a page. The pages of one shop pass one after the other; a page whose reader pauses lets the next one pass.
import type { ActionInput, ActionName } from '#contracts/actions'
import { limits } from '#contracts/limits'
import { isPagePart } from '#contracts/page-part'
import { asBuffer } from '#runtime/middlewares/large-response'
import type { Call } from '#runtime/service'
import { openTurns } from '#runtime/turns'

/** What a page reads with: a part at its turn. `pause` is called when a part is there, `end` when no further one is wanted. */
type Source = { read(cursor: string | null, limit: number): Promise<unknown>; pause(): void; end(): void }

const BEGIN = Buffer.from('{"data":[')
const END = Buffer.from(']}')
const COMMA = Buffer.from(',')
const CLOSING_BRACKET = ']'.charCodeAt(0)

// A page goes on before younger ones while its reader takes a part within this time.
const TAKEN_MS = 250

/** A page that is read while it is sent. */
export class LargePage {
  readonly #limit: number
  readonly #source: Source

  constructor(limit: number, source: Source) {
    this.#limit = limit
    this.#source = source
  }

  /** The bytes of the body; `reduced` changes the rows of each part. Throws in the middle where the rest cannot be read. */
  async *parts(reduced: (page: Buffer) => Buffer = (page) => page): AsyncGenerator<Buffer> {
    yield BEGIN
    let rows = 0
    try {
      for (let cursor: string | null = null; ; ) {
        const part = await this.#source.read(cursor, this.#limit - rows)
        const isLast = !isPagePart(part)
        // The last part is a page of its own; its rows may be gone by now.
        const page = reduced(isLast ? asBuffer(part) : Buffer.concat([BEGIN, asBuffer(part.documents), END]))
        const bytes = page.subarray(BEGIN.length, isLast ? undefined : -END.length)
        this.#source.pause()
        if (rows > 0 && bytes[0] !== CLOSING_BRACKET) yield COMMA
        yield bytes
        if (isLast) return
        rows += part.rows
        cursor = part.next_cursor
      }
    } finally {
      this.#source.end()
    }
  }
}

/** Wraps a read: where the response is a part of a page, it gives a `LargePage`. */
export function wholePages(read: Call): Call {
  const turns = openTurns(1)
  let pages = 0
  return async (name, params, meta = {}) => {
    const response = await read(name, params, meta)
    if (!isPagePart(response)) return response
    const { limit = limits.pageDefault } = params as { limit?: number }
    const { deadline_at: _ofFirst, ...metaOfParts } = meta // Each part has the time of a call.
    const number = (pages += 1)
    let endTurn: (() => void) | null = null
    let timer: NodeJS.Timeout | undefined
    const end = () => {
      clearTimeout(timer)
      endTurn?.()
      endTurn = null
    }
    return new LargePage(Math.min(limit, limits.pageMax), {
      async read(cursor, left) {
        clearTimeout(timer)
        endTurn ??= await turns.take(meta.caller?.shopId ?? '', number)
        const next = { ...params, limit: left, ...(cursor === null ? {} : { cursor }) } as ActionInput<ActionName>
        return read(name, next, { ...metaOfParts, is_part: true })
      },
      pause: () => void (timer = setTimeout(end, TAKEN_MS)),
      end,
    })
  }
}
