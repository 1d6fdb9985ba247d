// Reads the JSON object of a request body: bounded while it arrives, checked before it is parsed (docs/spec/rest-api.md#request-body,
// docs/spec/security.md#body).
import type { IncomingMessage, ServerResponse } from 'node:http'
import { MIMEType } from 'node:util'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { isStorable } from '#contracts/input/text'
import { sendContinue } from './expect-continue.ts'
import { checkJsonForm } from './json-form.ts'
import { type Pace, watchBody, wholePace } from './slow-body.ts'

/** A request whose body is to be read. */
type Incoming = { req: IncomingMessage; res: ServerResponse }

/**
 * The bytes of a JSON body, 64 KB by default. Refuses invalid_request; the rest of a body that is too large is
 * discarded.
 */
export async function readBody(incoming: Incoming, bytesMax: number = limits.bodyBytesMax): Promise<Buffer> {
  const { 'content-type': type, 'content-encoding': encoding = 'identity' } = incoming.req.headers
  if (encoding.toLowerCase() !== 'identity') throw compressed()
  if (type === undefined || !isJson(type)) {
    const words = 'The body must be JSON in UTF-8: send content-type application/json.'
    throw refuse('invalid_request', words, { field: 'content-type' })
  }
  return readBytes(incoming, bytesMax)
}

/** The bytes of any body, by default at most 64 KB. Refuses invalid_request; `pace` is shorter in tests only. */
export async function readBytes(
  { req, res }: Incoming,
  bytesMax: number = limits.bodyBytesMax,
  pace: Pace = wholePace,
): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax)
  sendContinue(res)
  const { slow, stop } = watchBody(res, pace)
  return Promise.race([collect(req, bytesMax), slow]).finally(stop)
}

/** Whether the request has no body; it has no content-type either then, which `readBody` would refuse. */
export function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0'
}

/** The object in a JSON body. Refuses invalid_request with the reason. */
export function parseObject(body: Buffer): Record<string, unknown> {
  const value = parse(decode(body))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refuse('invalid_request', 'The body must be a JSON object.')
  }
  refuseUnstorable(value, '')
  return value as Record<string, unknown>
}

/** The refusal of a body in a coding. */
export function compressed() {
  return refuse('invalid_request', 'The body must not be compressed.', { field: 'content-encoding' })
}

// Parameters other than the charset say nothing about the bytes.
function isJson(header: string): boolean {
  const type = mimeTypeOf(header)
  return type?.essence === 'application/json' && /^utf-?8$/i.test((type.params.get('charset') ?? 'utf-8').trim())
}

function mimeTypeOf(header: string): MIMEType | null {
  try {
    return new MIMEType(header)
  } catch {
    return null // Refused by the caller.
  }
}

function collect(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const onData = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= bytesMax) {
        chunks.push(chunk)
        return
      }
      // The rest is discarded: closing the connection now would hide the response from the client.
      request.off('data', onData)
      request.resume()
      reject(tooLarge(bytesMax))
    }
    request.on('data', onData)
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('error', () => reject(refuse('invalid_request', 'The body broke off.')))
  })
}

function tooLarge(bytesMax: number) {
  return refuse('invalid_request', `The body is larger than ${bytesMax} bytes.`)
}

function decode(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    throw refuse('invalid_request', 'The body is not valid UTF-8.')
  }
}

function parse(text: string): unknown {
  checkJsonForm(text)
  try {
    return JSON.parse(text)
  } catch {
    throw refuse('invalid_request', 'The body is not valid JSON.')
  }
}

/**
 * Refuses invalid_request naming the text at `path` or below that the database could not hold. A gateway checks it, because the bus
 * replaces broken characters.
 */
export function refuseUnstorable(value: unknown, path: string): void {
  if (typeof value === 'string') {
    if (isStorable(value)) return
    throw refuse('invalid_request', `${path} must be text without U+0000 or broken characters.`, { field: path })
  }
  if (typeof value !== 'object' || value === null) return
  // Depth is bounded by checkJsonForm, so this may call itself.
  for (const [key, inner] of Object.entries(value)) {
    if (!isStorable(key)) {
      const words = `A field name in ${path || 'the body'} has U+0000 or broken characters.`
      throw refuse('invalid_request', words, { field: path })
    }
    refuseUnstorable(inner, Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`)
  }
}
