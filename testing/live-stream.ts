// A reader of the live stream of a shop (docs/spec/request-log.md#live-stream), as a browser reads it.
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { until } from './until.ts'

type Json = Record<string, unknown>
export type LiveReader = {
  status: number
  headers: IncomingMessage['headers']
  /** The data of the events of a name so far. */
  of(name: string): Json[]
  /** All that came, as text. */
  text(): string
  /** Whether the server has ended the answer whole. */
  isEnded(): boolean
  /** Reads no more until it is resumed. */
  pause(): void
  resume(): void
  close(): void
}

/** Opens the stream at a port of an admin gateway; resolves with the head of the answer. */
export async function openLive(port: number, shop: string, headers: Record<string, string>): Promise<LiveReader> {
  const path = `/admin/v1/shops/${shop}/live`
  const outgoing: ClientRequest = request({ host: '127.0.0.1', port, path, headers, agent: false })
  outgoing.on('error', () => undefined)
  outgoing.end()
  let answer: IncomingMessage | undefined
  outgoing.once('response', (incoming) => (answer = incoming))
  const response = await until(() => answer)
  let text = ''
  response.on('data', (chunk: Buffer) => (text += chunk.toString()))
  response.on('error', () => undefined)
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    of(name) {
      const frames = text.split('\n\n').map((frame) => /^event: (\w+)\ndata: (.*)$/.exec(frame))
      return frames.flatMap((frame) => (frame?.[1] === name ? [JSON.parse(frame[2] ?? '') as Json] : []))
    },
    text: () => text,
    isEnded: () => response.complete,
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    close: () => void outgoing.destroy(),
  }
}
