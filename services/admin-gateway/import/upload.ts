// Receives the body of an import, as a temporary file where it is imported at once, because it is read twice (docs/spec/imports.md#size):
// its size is bounded while it arrives, and the file is always removed.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { mkdtemp, open, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { compressed } from '#http/body'
import { sendContinue } from '#http/expect-continue'
import { type Pace, watchBody } from '#http/slow-body'

export type Upload = { path: string; bytes: number }

/** The pace of an upload, and how many bytes it may have. */
type Bounds = Pace & { bytesMax: number }

const uploadBounds: Bounds = {
  everyMs: limits.importUploadMs,
  bytes: limits.importUploadBytes,
  bytesMax: limits.importBytesMax,
}

type Exchange = { req: IncomingMessage; res: ServerResponse }

/**
 * Runs the work with the body as a file, which is removed afterwards. Refuses invalid_request when it is too large or arrives too slowly;
 * `bounds` are smaller in tests only.
 */
export async function withUpload<Result>(
  exchange: Exchange,
  work: (upload: Upload) => Promise<Result>,
  bounds: Bounds = uploadBounds,
): Promise<Result> {
  checkUpload(exchange)
  return withFile(async (path) => {
    const file = await open(path, 'wx', 0o600)
    let bytes: number
    try {
      bytes = await receiveUpload(exchange, (chunk) => file.write(chunk), bounds)
    } finally {
      await file.close()
    }
    return work({ path, bytes })
  })
}

/** Refuses what is known to be no upload before any of it is read. */
export function checkUpload({ req }: Exchange): void {
  const { 'content-encoding': encoding = 'identity', 'content-length': length = '0' } = req.headers
  if (encoding.toLowerCase() !== 'identity') throw compressed()
  if (Number(length) > limits.importBytesMax) throw tooLarge(limits.importBytesMax)
}

/** Passes the body on piece by piece, each when the one before is taken, and returns its bytes. Refuses as `withUpload` does. */
export async function receiveUpload(
  { req, res }: Exchange,
  take: (chunk: Buffer) => Promise<unknown>,
  bounds: Bounds = uploadBounds,
): Promise<number> {
  sendContinue(res)
  let bytes = 0
  const { slow, stop } = watchBody(res, bounds, () => bytes)
  const count = (length: number) => {
    bytes += length
    if (bytes > bounds.bytesMax) throw tooLarge(bounds.bytesMax)
  }
  await Promise.race([store(req, count, take), slow]).finally(stop)
  return bytes
}

/** Runs the work with the path of a file to write, which is removed afterwards. */
export async function withFile<Result>(work: (path: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
  try {
    return await work(join(folder, 'file.csv'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Removes files that killed processes left behind. */
export async function removeOldUploads(): Promise<void> {
  const names = await readdir(tmpdir())
  for (const name of names.filter((one) => one.startsWith(prefix))) {
    const pid = /^(\d+)-/.exec(name.slice(prefix.length))?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(tmpdir(), name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' // Alive, and another user's.
  }
}

const prefix = 'storefront-import-' // Followed by the id of the process, so that others know whether it is alive.

async function store(
  request: IncomingMessage,
  count: (length: number) => void,
  take: (chunk: Buffer) => Promise<unknown>,
): Promise<void> {
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      count(chunk.length)
      await take(chunk)
    }
  } catch (error) {
    request.resume() // Drops the rest: closing the connection would hide the answer from the client.
    throw brokeOff(request) ? refuse('invalid_request', 'The body broke off.') : error
  }
}

// A connection that ends destroys the request with an error even where the parser had the whole body and nobody had read it yet.
function brokeOff(request: IncomingMessage): boolean {
  return request.errored !== null || (request.destroyed && !request.complete)
}

function tooLarge(bytesMax: number) {
  return refuse('invalid_request', `The file is larger than ${bytesMax} bytes.`)
}
