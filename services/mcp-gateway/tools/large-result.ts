// The result of a tool whose page is too large for one response of a service (docs/spec/mcp.md#tool-results). A result shows its page
// twice, so the page is held until it was sent; of one shop one page at a time.
import { limits } from '#contracts/limits'
import { refuse } from '#contracts/errors'
import type { LargePage } from '#calls/large-page'
import { withFields } from './fields.ts'

/** The members of the result. */
export class LargeResult {
  readonly #parts: Buffer[]
  #held: number
  /** To be called when the answer is closed. */
  readonly end: () => void

  constructor(parts: Buffer[], end: () => void) {
    this.#parts = parts
    this.#held = sizeOf(parts)
    this.end = end
  }

  /** Bytes that wait to be sent. */
  get held(): number {
    return this.#held
  }

  *members(): Generator<Buffer> {
    yield Buffer.from('"content":[{"type":"text","text":"')
    for (const part of this.#parts) yield escapedText(part)
    yield Buffer.from('"}],"structuredContent":')
    for (let part = this.#parts.shift(); part !== undefined; part = this.#parts.shift()) {
      this.#held -= part.length
      yield part
    }
  }
}

/** All parts of the page, its rows with these fields. Refuses invalid_request where they are more than a process may hold. */
export async function collect(page: LargePage, fields: readonly string[] | null): Promise<Buffer[]> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of page.parts(fields === null ? null : (body) => withFields(body, fields))) {
    parts.push(part)
    bytes += part.length
    if (bytes > limits.unreadBytesMax)
      throw refuse('invalid_request', 'This page is too large for a tool. Ask with a lower limit.')
  }
  return parts
}

/**
 * The inside of a JSON text that holds the bytes of a JSON document, without decoding their UTF-8: read as Latin-1 each byte is a
 * letter, and all letters that JSON escapes are below 128. One letter outside of Latin-1 would double the cost.
 */
export function escapedText(json: Buffer): Buffer {
  return Buffer.from(JSON.stringify(json.toString('latin1')).slice(1, -1), 'latin1')
}

function sizeOf(parts: Buffer[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0)
}
