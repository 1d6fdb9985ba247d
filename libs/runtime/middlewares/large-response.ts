// Large messages. NATS refuses messages above 1 MB; one document, and a body of the back office, may have as much. Pages travel in
// parts of their own (libs/calls/large-page.ts).
//
// Protocol: the node that made a response above the bound keeps it and sends a small ticket instead. The caller fetches the
// parts one by one from that node, which has an action of its own name for it. Where the caller never comes, the node drops the
// response after some seconds. Where the node dies in between, the call fails and a read is called again.
// The params of a call are kept by the calling node in the same way, until the call is answered; the answering node fetches
// them before it validates.
// Without a bus nothing is kept: the caller gets the Buffer itself.
import { randomUUID } from 'node:crypto'
import { Encoder } from 'cbor-x'
import type { Context, Middleware, ServiceBroker } from 'moleculer'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { middleware } from './middleware.ts'

type Ticket = { kept_by: string; ticket: string; bytes: number }

// A response is bytes, or an object with bytes in one of these members, such as a page (#contracts/page-result).
const BYTE_MEMBERS = ['body', 'documents']

// In the form of the bus, so that params arrive alike whatever their size.
const cbor = new Encoder({ useRecords: false })

/** The middlewares of one node: `requests` belongs outside of the validation of params, `responses` inside. */
export function largeMessages(nodeId: string): { requests: Middleware; responses: Middleware } {
  const kept = new Map<string, Buffer>()
  let keptBytes = 0
  let broker: ServiceBroker | null = null
  const responses = middleware('large-response', {
    created(own) {
      broker = own
      own.createService({
        name: actionOf(nodeId),
        settings: { $noServiceNamePrefix: true },
        actions: { [actionOf(nodeId)]: (ctx: Context<{ ticket: string; from: number }>) => partOf(ctx.params) },
      })
    },
    localAction: (next) => async (ctx) => keptWhereLarge(await next(ctx)),
    call: (next) => async (action, params, options) => {
      const response = await next(action, params, options)
      const member = byteMemberOf(response)
      if (member === null) return fetched(response, options)
      return { ...member.object, [member.name]: asBuffer(await fetched(member.bytes, options)) }
    },
  })
  const requests = middleware('large-request', {
    localAction: (next) => async (ctx) => {
      if (isTicket(ctx.params)) ctx.params = cbor.decode(await fetchParts(ctx.params, ctx))
      return next(ctx)
    },
    call: (next) => async (action, params, options) => {
      if (sizeOf(params) <= limits.busBytesMax) return next(action, params, options)
      const ticket = keep(cbor.encode(params))
      try {
        return await next(action, ticket, options)
      } finally {
        drop(ticket.ticket)
      }
    },
  })
  return { requests, responses }

  function keptWhereLarge(response: unknown): unknown {
    const member = byteMemberOf(response)
    if (member !== null) return { ...member.object, [member.name]: keptWhereLarge(member.bytes) }
    return Buffer.isBuffer(response) && response.length > limits.busBytesMax ? keep(response) : response
  }

  function keep(bytes: Buffer): Ticket {
    if (keptBytes + bytes.length > limits.keptResponseBytesMax) {
      throw refuse('unavailable', 'Too many large messages wait on this node.')
    }
    const ticket = randomUUID()
    kept.set(ticket, bytes)
    keptBytes += bytes.length
    setTimeout(() => drop(ticket), limits.keptResponseMs).unref()
    return { kept_by: nodeId, ticket, bytes: bytes.length }
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

  async function fetched(response: unknown, options: { meta?: object }): Promise<unknown> {
    return isTicket(response) ? fetchParts(response, options) : response
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

// About what the params take on the bus. They are objects of a few fields, except where they hold the body of a request.
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 5
  if (typeof value !== 'object' || value === null) return 9
  if (value instanceof Uint8Array) return value.byteLength + 5
  let bytes = 5
  if (Array.isArray(value)) for (const item of value) bytes += sizeOf(item)
  else for (const [name, inner] of Object.entries(value)) bytes += 3 * name.length + 5 + sizeOf(inner)
  return bytes
}

function actionOf(nodeId: string): string {
  return `large-response-${nodeId}`
}

// The member of an object that holds its bytes, or the ticket for them; null for a response without such a member.
function byteMemberOf(response: unknown): { object: object; name: string; bytes: unknown } | null {
  if (typeof response !== 'object' || response === null) return null
  for (const name of BYTE_MEMBERS) {
    const bytes = (response as Record<string, unknown>)[name]
    if (bytes instanceof Uint8Array || isTicket(bytes)) return { object: response, name, bytes }
  }
  return null
}

function isTicket(response: unknown): response is Ticket {
  return typeof response === 'object' && response !== null && 'kept_by' in response && 'ticket' in response
}
