// Fetches client ID metadata documents under the rules of the sender of webhooks: a checked address, no redirect, little time and few
// bytes (docs/spec/agents-access.md#clients, docs/spec/webhooks.md#address-rules).
import type { IncomingMessage } from 'node:http'
import { Agent, request as tlsRequest } from 'node:https'
import { checkUrl } from '#contracts/webhook-url'
import { addressesOf, type Resolve, resolveByDns, resolveBySystem } from '#webhook-request/address'
import { pinnedLookup } from '#webhook-request/post'
import { type ClientMetadata, documentedClient, pinnedDocuments } from './clients.ts'

const FETCH_MS = 2_500
const BYTES_MAX = 5 * 1_024
const HEAD_BYTES_MAX = 16_384

/** `ca`: a certificate authority to trust instead of the usual ones, for tests. */
export type FetchOptions = { allowPrivate: boolean; redirectHosts: readonly string[] | null; ca?: string | undefined }
/** Answers as the OAuth library asks: 200 with the document as the library may read it, or another status. */
export type FetchDocument = (url: string) => Promise<Response>

export function documentFetcher({ allowPrivate, redirectHosts, ca }: FetchOptions): FetchDocument {
  const agent = new Agent({ keepAlive: false, maxCachedSessions: 0 })
  const resolve = allowPrivate ? resolveBySystem : resolveByDns
  return async (url) => {
    const signal = AbortSignal.timeout(FETCH_MS)
    const fetched = await fetched200(url, { allowPrivate, agent, resolve, signal, ca }).catch(() => null)
    const client = fetched === null ? null : clientIn(url, fetched.text, redirectHosts)
    if (client !== null) return answer(client, fetched?.cacheControl)
    const pinned = pinnedDocuments.find(({ client_id }) => client_id === url)
    const known = fetched === null && pinned !== undefined ? documentedClient(url, pinned, redirectHosts) : null
    return known === null ? new Response(null, { status: 502 }) : answer(known, undefined)
  }
}

function answer(client: ClientMetadata, cacheControl: string | undefined): Response {
  const headers: Record<string, string> = cacheControl === undefined ? {} : { 'cache-control': cacheControl }
  return Response.json(client, { headers })
}

function clientIn(url: string, text: string, hosts: readonly string[] | null): ClientMetadata | null {
  try {
    const document: unknown = JSON.parse(text)
    const isObject = typeof document === 'object' && document !== null && !Array.isArray(document)
    return isObject ? documentedClient(url, document as Record<string, unknown>, hosts) : null
  } catch {
    return null // Not JSON: refused by the caller.
  }
}

type Means = {
  allowPrivate: boolean
  agent: Agent
  resolve: Resolve
  signal: AbortSignal
  ca: string | undefined
}

/** The body of an answer with 200. Throws an Error where there is none. */
async function fetched200(text: string, means: Means): Promise<{ text: string; cacheControl: string | undefined }> {
  const checked = checkUrl(text, means.allowPrivate)
  if ('problem' in checked || checked.url.protocol !== 'https:') throw new Error('The URL is not allowed.')
  const found = await addressesOf(checked.url, means.allowPrivate, means.resolve, means.signal)
  if ('error' in found) throw new Error(`The host has no address that is allowed: ${found.error}.`)
  const response = await responseOf(checked.url, found.addresses, means)
  try {
    if (response.statusCode !== 200) throw new Error(`The answer has the status ${response.statusCode}.`)
    return { text: await textOf(response), cacheControl: response.headers['cache-control'] }
  } finally {
    response.destroy()
  }
}

function responseOf(url: URL, addresses: string[], { agent, signal, ca }: Means): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = tlsRequest(url, {
      headers: { accept: 'application/json' },
      agent,
      signal,
      ca,
      lookup: pinnedLookup(addresses),
      maxHeaderSize: HEAD_BYTES_MAX,
      insecureHTTPParser: false,
    })
    request.once('response', resolve)
    request.on('error', reject)
    request.end()
  })
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > BYTES_MAX) throw new Error('The document is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
