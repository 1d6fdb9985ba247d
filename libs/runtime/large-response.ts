// Owns large answers. The bus refuses messages above 1 MB; a page of 100 long orders is many times that. Protocol: an
// answer above the bound is parked in the process that made it and a small ticket travels instead; the caller fetches the
// parts one by one from that very node, which has an action of its own name for it. A caller that never comes frees the
// memory after some seconds; a node that dies in between makes the call fail, and reads are asked again.
// In one process nothing is parked: the Buffer itself is handed over.
import { randomUUID } from 'node:crypto'
import type { ServiceBroker, ServiceSchema } from 'moleculer'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'

export type Parts = {
  /** Gives the answer itself, or a ticket for it. */
  park(answer: unknown): unknown
  /** Gives the answer behind a ticket, or the answer as it came. */
  fetch(broker: ServiceBroker, answer: unknown, meta: object): Promise<unknown>
  service: ServiceSchema | null
}
type Ticket = { parked_by: string; ticket: string; bytes: number }

/** The parts of one node; without a bus (`nodeId` null) everything passes through. */
export function openParts(nodeId: string | null): Parts {
  if (nodeId === null) return { park: (answer) => answer, fetch: async (_broker, answer) => answer, service: null }
  const parked = new Map<string, Buffer>()
  let parkedBytes = 0
  const drop = (ticket: string) => {
    parkedBytes -= parked.get(ticket)?.length ?? 0
    parked.delete(ticket)
  }
  return {
    park(answer) {
      if (!Buffer.isBuffer(answer) || answer.length <= limits.busBytesMax) return answer
      if (parkedBytes + answer.length > limits.parkedBytesMax) {
        throw refuse('unavailable', 'Too many large answers wait for their callers.')
      }
      const ticket = randomUUID()
      parked.set(ticket, answer)
      parkedBytes += answer.length
      setTimeout(() => drop(ticket), limits.parkedMs).unref()
      return { parked_by: nodeId, ticket, bytes: answer.length } satisfies Ticket
    },
    async fetch(broker, answer, meta) {
      if (!isTicket(answer)) return answer
      const pieces: Buffer[] = []
      for (let from = 0; from < answer.bytes; from += limits.busBytesMax) {
        const params = { ticket: answer.ticket, from }
        pieces.push(asBuffer(await broker.call(actionOf(answer.parked_by), params, { meta, tracking: false })))
      }
      return Buffer.concat(pieces)
    },
    service: {
      name: actionOf(nodeId),
      settings: { $noServiceNamePrefix: true },
      actions: {
        [actionOf(nodeId)](ctx: { params: unknown }) {
          const { ticket, from } = ctx.params as { ticket: string; from: number }
          const answer = parked.get(ticket)
          if (answer === undefined) throw refuse('unavailable', 'This answer is not kept any more.')
          const until = from + limits.busBytesMax
          if (until >= answer.length) drop(ticket)
          return answer.subarray(from, until)
        },
      },
    },
  }
}

/** Bytes that crossed the bus may arrive as a plain Uint8Array. */
export function asBuffer(value: unknown): Buffer {
  if (Buffer.isBuffer(value)) return value
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  throw new Error('Bytes were expected from the bus.')
}

function actionOf(nodeId: string): string {
  return `parts-of-${nodeId.replaceAll(/[^A-Za-z0-9-]/g, '-')}`
}

function isTicket(answer: unknown): answer is Ticket {
  return typeof answer === 'object' && answer !== null && 'parked_by' in answer && 'ticket' in answer
}
