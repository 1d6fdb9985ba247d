// One HTTP exchange as a test sees it: the target is sent as written, nothing is followed or pooled, and a body is decoded where its
// answer names a coding.
import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

export type Sent = { method?: string; headers?: Record<string, string>; body?: string | Buffer }
/** `bytes` is how many bytes of a body came. */
export type Answer = { status: number; headers: Record<string, string>; text: string; body: unknown; bytes: number }

/** Sends one request on a connection of its own; `target` is the path with its query, raw. */
export function exchange(port: number, target: string, { method = 'GET', headers, body }: Sent = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path: target, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        const sent = Buffer.concat(chunks)
        const text = decoded(sent, incoming.headers['content-encoding']).toString()
        const flat = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])
        resolve({
          status: incoming.statusCode ?? 0,
          headers: Object.fromEntries(flat),
          text,
          bytes: sent.length,
          body: text === '' || !isJson(incoming.headers['content-type']) ? null : JSON.parse(text),
        })
      })
    })
    outgoing.on('error', reject)
    // Node says the length of a body by itself, but not that of a DELETE.
    if (method === 'DELETE' && body !== undefined) outgoing.setHeader('content-length', Buffer.byteLength(body))
    outgoing.end(body)
  })
}

/** The object or the list in a successful answer; throws any other answer. */
export function dataOf<Data>({ status, text, body }: Answer): Data {
  if (status >= 300) throw new Error(`Answered ${status}: ${text}`)
  return (body as { data: Data }).data
}

/** The text of a refusal without the id of its request, in which two requests differ. */
export function withoutRequestId(text: string): string {
  return text.replace(/"requestId":"[^"]+"/, '')
}

function decoded(body: Buffer, coding?: string): Buffer {
  if (coding === undefined || body.length === 0) return body
  if (coding === 'gzip') return gunzipSync(body)
  if (coding === 'br') return brotliDecompressSync(body)
  throw new Error(`A body came as ${coding}.`)
}

function isJson(type = ''): boolean {
  return type.startsWith('application/json')
}
