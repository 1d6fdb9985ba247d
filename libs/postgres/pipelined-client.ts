// A client in pg's pipeline mode: a statement is sent while earlier ones are under way, and PostgreSQL answers them in order. The statements
// of one turn of the event loop are written together: writing to a socket, and waking the process behind it, is the most expensive step
// of a small statement.
import { Socket } from 'node:net'
import pg from 'pg'

export class PipelinedClient extends pg.Client {
  readonly #socket: Socket

  constructor(config: pg.ClientConfig = {}) {
    const socket = new Socket()
    super({ ...config, pipeline: true, stream: () => socket })
    this.#socket = socket
  }

  /** Sends the statement together with the others of this turn. */
  send(query: pg.QueryConfig | string): Promise<pg.QueryResult<never>> {
    const socket = this.#socket
    if (socket.writableCorked === 0) {
      socket.cork()
      setImmediate(() => socket.uncork())
    }
    return this.query<never>(query)
  }
}

/** A client of the pool. `release(true)` ends the connection instead of returning it to the pool. */
export async function take(pool: pg.Pool): Promise<{ client: PipelinedClient; release(isBroken: boolean): void }> {
  const pooled = await pool.connect()
  // A connection that breaks between two statements emits an error, which would end the process without a listener. The next
  // statement fails, and that is reported.
  const ignore = () => undefined
  pooled.on('error', ignore)
  const release = (isBroken: boolean) => {
    pooled.off('error', ignore)
    pooled.release(isBroken)
  }
  if (!(pooled instanceof PipelinedClient)) throw new Error('The pool has clients of another kind.')
  return { client: pooled, release }
}
