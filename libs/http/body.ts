// Reads the JSON object of a request body: bounded while it arrives, checked before it is parsed (docs/spec/rest-api.md#request-body,
// docs/spec/security.md#body).
import type { IncomingMessage } from 'node:http'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { isStorable } from '#contracts/input/text'
import { checkJsonForm } from './json-form.ts'

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i

/** The bytes of a JSON body. Refuses invalid_request; the rest of a body that is too large is discarded. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const { 'content-type': type, 'content-encoding': encoding = 'identity' } = request.headers
  if (encoding.toLowerCase() !== 'identity') throw refuse('invalid_request', 'The body must not be compressed.')
  if (type === undefined || !JSON_TYPE.test(type)) {
    throw refuse('invalid_request', 'The body must be JSON in UTF-8: send content-type application/json.')
  }
  return readBytes(request)
}

/** The bytes of any body, at most 64 KB. Refuses invalid_request. */
export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limits.bodyBytesMax) throw tooLarge()
  return collect(request)
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

function collect(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const onData = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= limits.bodyBytesMax) {
        chunks.push(chunk)
        return
      }
      // The rest is discarded: closing the connection now would hide the response from the client.
      request.off('data', onData)
      request.resume()
      reject(tooLarge())
    }
    request.on('data', onData)
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('error', () => reject(refuse('invalid_request', 'The body broke off.')))
  })
}

function tooLarge() {
  return refuse('invalid_request', `The body is larger than ${limits.bodyBytesMax} bytes.`)
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

/** Refuses invalid_request naming the text at `path` or below that the database could not hold. */
export function refuseUnstorable(value: unknown, path: string): void {
  if (typeof value === 'string') {
    if (isStorable(value)) return
    throw refuse('invalid_request', `${path} must be text without U+0000 or broken characters.`, { field: path })
  }
  if (typeof value !== 'object' || value === null) return
  // Depth is bounded by checkJsonForm, so this may call itself.
  for (const [key, inner] of Object.entries(value)) {
    if (!isStorable(key)) {
      throw refuse('invalid_request', `A field name in ${path || 'the body'} has U+0000 or broken characters.`)
    }
    refuseUnstorable(inner, Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`)
  }
}
