// Reads over two shared connections in pipeline mode (pipelined-client.ts): many small reads at once neither need a connection each nor
// wait for a free one.
//
// PostgreSQL answers in order, so a slow statement delays those behind it. A connection whose oldest statement has been
// under way for longer than SLOW_MS gets no further one; when no connection is left, the caller uses the pool. A connection
// that breaks fails the statements under way on it, and the next read opens another.
// For single reads only: nothing here may change a row, lock one or belong to a transaction.
import pg from 'pg'
import type { PipelinedClient } from './pipelined-client.ts'

export type PipelinedReads = {
  /** The rows; null when the statement should use the pool. Rejects as PostgreSQL or the connection does. */
  rows(query: pg.QueryConfig): Promise<unknown[]> | null
  /** How many connections are open. */
  open(): number
  close(): Promise<void>
}

type Reader = {
  client: PipelinedClient
  connected: Promise<unknown>
  /** When each of the statements under way began, oldest first. */
  begun: number[]
}

const READERS = 2
const SLOW_MS = 20
const UNDER_WAY_MAX = 64

/** Opens nothing yet. `makeClient` returns a client that is not connected yet. */
export function openPipelinedReads(makeClient: () => PipelinedClient, onError: (error: Error) => void): PipelinedReads {
  const readers = new Set<Reader>()

  function connect(): Reader {
    const client = makeClient()
    const reader: Reader = { client, connected: client.connect(), begun: [] }
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
      return (await reader.client.send(query)).rows
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
