// Reads over two shared connections in pg's pipeline mode: a statement is sent while earlier ones are still under way, so
// many small reads at once neither need a connection each nor wait for a free one. The statements of one turn of the event loop are
// written together: a write that wakes a sleeping PostgreSQL process is the most expensive step of a small read.
//
// PostgreSQL answers in order, so a slow statement delays those behind it. A connection whose oldest statement has been
// under way for longer than SLOW_MS gets no further one; when no connection is left, the caller uses the pool. A connection
// that breaks fails the statements under way on it, and the next read opens another.
// For single reads only: nothing here may change a row, lock one or belong to a transaction.
import { Socket } from 'node:net'
import pg from 'pg'

export type PipelinedReads = {
  /** The rows; null when the statement should use the pool. Rejects as PostgreSQL or the connection does. */
  rows(query: pg.QueryConfig): Promise<unknown[]> | null
  /** How many connections are open. */
  open(): number
  close(): Promise<void>
}

type Reader = {
  client: pg.Client
  socket: Socket
  connected: Promise<unknown>
  /** When each of the statements under way began, oldest first. */
  begun: number[]
}

const READERS = 2
const SLOW_MS = 20
const UNDER_WAY_MAX = 64

/** Opens nothing yet. `makeClient` returns a client in pipeline mode over that socket, not connected yet. */
export function openPipelinedReads(
  makeClient: (stream: () => Socket) => pg.Client,
  onError: (error: Error) => void,
): PipelinedReads {
  const readers = new Set<Reader>()

  function connect(): Reader {
    const socket = new Socket()
    const client = makeClient(() => socket)
    const reader: Reader = { client, socket, connected: client.connect(), begun: [] }
    client.on('error', (error: Error) => {
      if (readers.delete(reader)) onError(error)
    })
    client.on('end', () => readers.delete(reader))
    readers.add(reader)
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
    if ((best === null || best.begun.length > 0) && readers.size < READERS) return connect()
    return best
  }

  async function read(reader: Reader, query: pg.QueryConfig): Promise<unknown[]> {
    reader.begun.push(performance.now())
    try {
      await reader.connected
      writeTogether(reader.socket)
      return (await reader.client.query(query)).rows
    } catch (error) {
      // The connection has ended or is about to end, unless PostgreSQL says that only this statement failed.
      const isOfStatement = error instanceof pg.DatabaseError && error.severity === 'ERROR'
      if (!isOfStatement && readers.delete(reader)) reader.client.end().catch(() => undefined)
      throw error
    } finally {
      reader.begun.shift() // Statements end in the order in which they began.
    }
  }

  return {
    rows(query) {
      const reader = choose()
      return reader === null ? null : read(reader, query)
    },
    open: () => readers.size,
    async close() {
      const open = [...readers]
      readers.clear()
      await Promise.allSettled(open.map(({ client }) => client.end()))
    },
  }
}

// Holds back what is written to the socket until the end of this turn of the event loop.
function writeTogether(socket: Socket): void {
  if (socket.writableCorked > 0) return
  socket.cork()
  setImmediate(() => socket.uncork())
}
