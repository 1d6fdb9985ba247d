// Pages that are too large for one response of a service (docs/spec/internals.md#page-parts). Above `pageWholeBytes` the service answers
// without rows. The gateway then reads parts of at most `pagePartBytes`, as one reads the pages of a walk, and asks for a part when the
// client has taken the one before it: no process ever holds such a page. Of one shop the gateway reads one large page at a time; when
// its client takes no bytes for `TAKEN_MS`, the shop's next large page goes first. After each part the page waits for as long as the
// part took, at most `WAIT_MS_MAX`, so that other shops have half of the time of whatever is busiest. Each part has a deadline of its
// own; when one fails, the connection is closed before the end of the body.
import { setTimeout as sleep } from 'node:timers/promises'
import type { ActionInput, ActionName } from '#contracts/actions'
import { limits } from '#contracts/limits'
import { isPagePart, isWholePage, type PageResult } from '#contracts/page-result'
import type { Call } from '#runtime/service'
import { openTurns } from '#runtime/turns'

/** Reads the parts of a page, each in turn. `yieldTurn` is called when a part is there, `end` when no further one is wanted. */
type Source = { read(cursor: string | null, limit: number): Promise<PageResult>; yieldTurn(): void; end(): void }

type Reduced = (page: Buffer) => Buffer

const BEGIN = Buffer.from('{"data":[')
const END = Buffer.from(']}')
const COMMA = Buffer.from(',')
const CLOSING_BRACKET = ']'.charCodeAt(0)

// A page goes on before younger ones while its reader takes a part within this time.
const TAKEN_MS = 250
const WAIT_MS_MAX = 100

/** A page that is read while it is sent. */
export class LargePage {
  readonly #limit: number
  readonly #source: Source

  constructor(limit: number, source: Source) {
    this.#limit = limit
    this.#source = source
  }

  /** The bytes of the body; `reduced` changes the rows of each part. Throws in the middle where the rest cannot be read. */
  async *parts(reduced: Reduced | null = null): AsyncGenerator<Buffer> {
    yield BEGIN
    let rows = 0
    try {
      for (let cursor: string | null = null; ; ) {
        const part = await this.#source.read(cursor, this.#limit - rows)
        const bytes = rowsOf(part, reduced)
        this.#source.yieldTurn()
        if (rows > 0 && bytes[0] !== CLOSING_BRACKET) yield COMMA
        yield bytes
        if (!isPagePart(part)) return
        rows += part.rows
        cursor = part.next_cursor
      }
    } finally {
      this.#source.end()
    }
  }
}

// The rows of a part as they stand in the body. The last part is a page of its own, whose rows may be gone by now; its end is that of
// the body.
function rowsOf(part: PageResult, reduced: Reduced | null): Buffer {
  if (!isPagePart(part)) return (reduced?.(part.body) ?? part.body).subarray(BEGIN.length)
  const { documents } = part
  if (reduced === null) return documents
  return reduced(Buffer.concat([BEGIN, documents, END])).subarray(BEGIN.length, -END.length)
}

/** Wraps a read: where the response is a part of a page, it returns a `LargePage`. */
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
    let waitsUntil = 0
    const end = () => {
      clearTimeout(timer)
      endTurn?.()
      endTurn = null
    }
    return new LargePage(Math.min(limit, limits.pageMax), {
      async read(cursor, left) {
        clearTimeout(timer)
        endTurn ??= await turns.take(meta.caller?.shopId ?? '', number)
        if (waitsUntil > performance.now()) await sleep(waitsUntil - performance.now())
        const next = { ...params, limit: left, ...(cursor === null ? {} : { cursor }) } as ActionInput<ActionName>
        const began = performance.now()
        const part = await read(name, next, { ...metaOfParts, is_part: true })
        if (!isPagePart(part) && !isWholePage(part)) throw new Error(`${name} answered a part of a page with no page.`)
        const now = performance.now()
        waitsUntil = now + Math.min(now - began, WAIT_MS_MAX)
        return part
      },
      yieldTurn: () => void (timer = setTimeout(end, TAKEN_MS)),
      end,
    })
  }
}
