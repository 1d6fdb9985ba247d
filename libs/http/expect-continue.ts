// `Expect: 100-continue`: a client that sends it waits with its body (docs/spec/rest-api.md#expect-100-continue). It gets `100 Continue` when
// a gateway begins to read the body. A request that is refused before gets its final status at once, and the connection ends,
// because the announced body never comes.
import type { ServerResponse } from 'node:http'

const waiting = new WeakSet<ServerResponse>()

/** Marks the response to a client that waits with its body. */
export function holdContinue(response: ServerResponse): void {
  waiting.add(response)
  response.setHeader('connection', 'close')
}

/** Sends `100 Continue` to a client that waits with its body; does nothing for any other. Call it before the body is read. */
export function sendContinue(response: ServerResponse): void {
  if (!waiting.delete(response)) return
  response.removeHeader('connection')
  response.writeContinue()
}
