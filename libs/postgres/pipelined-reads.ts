// Owns reading over connections that are shared: a statement is written behind those that are under way, and those of one
// turn of the event loop go out in one write. On a connection of its own each read costs a write that wakes a sleeping
// PostgreSQL process, the dearest step of a small read (docs/performance.md).
//
// PostgreSQL answers in order, so a slow statement would hold up those behind it. A connection whose oldest statement has
// been under way for a moment therefore gets no more, and where all are like that the statement goes the ordinary way, over
// the pool. A connection that breaks fails what is under way on it, and is opened anew by the next read.
// For single reads only: nothing here may change a row, lock one or belong to a transaction.
import pg from 'pg'

export type PipelinedReads = {
  /** The answer; null when the statement had better go another way. Rejects as PostgreSQL or the connection does. */
  rows(query: pg.QueryConfig): Promise<unknown[]> | null
  /** How many connections are open. */
  open(): number
  close(): Promise<void>
}

type Reader = {
  client: pg.Client
  ready: Promise<void>
  isOpen: boolean
  isCorked: boolean
  /** When each of the statements under way began, oldest first. */
  begun: number[]
}
/** The stream that pg writes to; its types do not show it. */
type Connection = { stream: { cork(): void; uncork(): void } }

const READERS = 2
const SLOW_MS = 20
const UNDER_WAY_MAX = 64

/** Opens nothing yet. `make` gives a client that is not connected, in pg's pipeline mode. */
export function openPipelinedReads(make: () => pg.Client, onError: (error: Error) => void): PipelinedReads {
  const readers = new Set<Reader>()

  function begin(): Reader {
    const client = make()
    const reader: Reader = { client, ready: Promise.resolve(), isOpen: false, isCorked: false, begun: [] }
    const end = (error?: Error) => {
      if (readers.delete(reader) && error !== undefined) onError(error)
    }
    client.on('error', end)
    client.on('end', () => end())
    readers.add(reader)
    reader.ready = client.connect().then(
      () => void (reader.isOpen = true),
      (error: Error) => {
        readers.delete(reader)
        throw error
      },
    )
    reader.ready.catch(() => undefined) // Told to each statement that waits for it.
    return reader
  }

  // The one with the least to do; another one is opened when all have something to do.
  function choose(): Reader | null {
    const now = performance.now()
    let best: Reader | null = null
    for (const reader of readers) {
      const [oldest = now] = reader.begun
      if (now - oldest > SLOW_MS || reader.begun.length >= UNDER_WAY_MAX) continue
      if (best === null || reader.begun.length < best.begun.length) best = reader
    }
    if ((best === null || best.begun.length > 0) && readers.size < READERS) return begin()
    return best
  }

  async function readOver(reader: Reader, query: pg.QueryConfig): Promise<unknown[]> {
    reader.begun.push(performance.now())
    try {
      if (!reader.isOpen) await reader.ready
      gather(reader)
      return (await reader.client.query(query)).rows
    } catch (error) {
      // It has ended, or is about to.
      if (!isOfStatement(error) && readers.delete(reader)) reader.client.end().catch(() => undefined)
      throw error
    } finally {
      reader.begun.shift() // They end in the order in which they began.
    }
  }

  return {
    rows(query) {
      const reader = choose()
      return reader === null ? null : readOver(reader, query)
    },
    open: () => readers.size,
    async close() {
      const open = [...readers]
      readers.clear()
      await Promise.allSettled(open.map(({ client }) => client.end()))
    },
  }
}

// Whether only this statement has failed, and its connection is well.
function isOfStatement(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR'
}

// What is written to the connection until the turn of the event loop is over goes out together.
function gather(reader: Reader): void {
  if (reader.isCorked) return
  const { stream } = (reader.client as unknown as { connection: Connection }).connection
  reader.isCorked = true
  stream.cork()
  setImmediate(() => {
    reader.isCorked = false
    stream.uncork()
  })
}
