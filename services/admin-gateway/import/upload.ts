// Stores the body of an import as a temporary file, because it is read twice (docs/spec/imports.md#size): its size is bounded while
// it arrives, and the file is always removed.
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

const uploadPace: Pace = { everyMs: limits.importUploadMs, bytes: limits.importUploadBytes }

/**
 * Runs the work with the body as a file, which is removed afterwards. Refuses invalid_request when it is too large or arrives too slowly;
 * `pace` is shorter in tests only.
 */
export async function withUpload<Result>(
  { req, res }: { req: IncomingMessage; res: ServerResponse },
  work: (upload: Upload) => Promise<Result>,
  pace: Pace = uploadPace,
): Promise<Result> {
  const { 'content-encoding': encoding = 'identity', 'content-length': length = '0' } = req.headers
  if (encoding.toLowerCase() !== 'identity') throw compressed()
  if (Number(length) > limits.importBytesMax) throw tooLarge()
  sendContinue(res)
  const folder = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
  try {
    const upload = { path: join(folder, 'file.csv'), bytes: 0 }
    const { slow, stop } = watchBody(res, pace, () => upload.bytes)
    await Promise.race([store(req, upload), slow]).finally(stop)
    return await work(upload)
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

async function store(request: IncomingMessage, upload: Upload): Promise<void> {
  const file = await open(upload.path, 'wx', 0o600)
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      upload.bytes += chunk.length
      if (upload.bytes > limits.importBytesMax) throw tooLarge()
      await file.write(chunk)
    }
  } catch (error) {
    request.resume() // Drops the rest: closing the connection would hide the answer from the client.
    throw brokeOff(request) ? refuse('invalid_request', 'The body broke off.') : error
  } finally {
    await file.close()
  }
}

// A connection that ends destroys the request with an error even where the parser had the whole body and nobody had read it yet.
function brokeOff(request: IncomingMessage): boolean {
  return request.errored !== null || (request.destroyed && !request.complete)
}

function tooLarge() {
  return refuse('invalid_request', `The file is larger than ${limits.importBytesMax} bytes.`)
}
