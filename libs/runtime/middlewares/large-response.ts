// Large responses. NATS refuses messages above 1 MB; a page of 100 long orders is many times that.
//
// Protocol: the node that made a response above the bound keeps it and sends a small ticket instead. The caller fetches the
// parts one by one from that node, which has an action of its own name for it. Where the caller never comes, the node drops the
// response after some seconds. Where the node dies in between, the call fails and a read is called again.
// Without a bus nothing is kept: the caller gets the Buffer itself.
import { randomUUID } from 'node:crypto'
import type { Context, Middleware, ServiceBroker } from 'moleculer'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { middleware } from './middleware.ts'

type Ticket = { kept_by: string; ticket: string; bytes: number }

/** The middleware of one node. */
export function largeResponse(nodeId: string): Middleware {
  const kept = new Map<string, Buffer>()
  let keptBytes = 0
  let broker: ServiceBroker | null = null
  return middleware('large-response', {
    created(own) {
      broker = own
      own.createService({
        name: actionOf(nodeId),
        settings: { $noServiceNamePrefix: true },
        actions: { [actionOf(nodeId)]: (ctx: Context<{ ticket: string; from: number }>) => partOf(ctx.params) },
      })
    },
    localAction: (next) => async (ctx) => keep(await next(ctx)),
    call: (next) => async (action, params, options) => {
      const response = await next(action, params, options)
      return isTicket(response) ? fetchParts(response, options) : response
    },
  })

  function keep(response: unknown): unknown {
    if (!Buffer.isBuffer(response) || response.length <= limits.busBytesMax) return response
    if (keptBytes + response.length > limits.keptResponseBytesMax) {
      throw refuse('unavailable', 'Too many large answers wait for their callers.')
    }
    const ticket = randomUUID()
    kept.set(ticket, response)
    keptBytes += response.length
    setTimeout(() => drop(ticket), limits.keptResponseMs).unref()
    return { kept_by: nodeId, ticket, bytes: response.length } satisfies Ticket
  }

  function drop(ticket: string): void {
    keptBytes -= kept.get(ticket)?.length ?? 0
    kept.delete(ticket)
  }

  function partOf({ ticket, from }: { ticket: string; from: number }): Buffer {
    const response = kept.get(ticket)
    if (response === undefined) throw refuse('unavailable', 'This answer is not kept any more.')
    const until = from + limits.busBytesMax
    if (until >= response.length) drop(ticket)
    return response.subarray(from, until)
  }

  async function fetchParts({ kept_by, ticket, bytes }: Ticket, { meta = {} }: { meta?: object }): Promise<Buffer> {
    const parts: Buffer[] = []
    for (let from = 0; from < bytes; from += limits.busBytesMax) {
      const part = await broker?.call(actionOf(kept_by), { ticket, from }, { meta, tracking: false })
      parts.push(asBuffer(part))
    }
    return Buffer.concat(parts)
  }
}

/** The bytes of a response: over the bus they may arrive as a plain Uint8Array. */
export function asBuffer(value: unknown): Buffer {
  if (Buffer.isBuffer(value)) return value
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  throw new Error('Bytes were expected from the bus.')
}

function actionOf(nodeId: string): string {
  return `large-response-${nodeId.replaceAll(/[^A-Za-z0-9-]/g, '-')}`
}

function isTicket(response: unknown): response is Ticket {
  return typeof response === 'object' && response !== null && 'kept_by' in response && 'ticket' in response
}
