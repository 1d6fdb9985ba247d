// `storefront import`: streams a file to the back office, shows the progress, then the report.
// docs/spec/imports.md#dry-run-and-report
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { limits } from '#contracts/limits'
import { type AdminClient, messageOf, parseResponse } from './admin-client.ts'
import { openProgress, type Progress, showFields, showTable } from './terminal.ts'
import { usageError, required, type Options } from './arguments.ts'

type Problem = { line: number | null; column: string | null; code: string; message: string; severity: string }
type ImportObject = {
  id: string
  format: string | null
  status: string
  dryRun: boolean
  processed: number
  created: number
  updated: number
  unchanged: number
  skipped: number
  failed: number
  ignoredColumns: string[]
  errors: Problem[]
}

export async function importCommand(client: AdminClient, [file, ...more]: string[], options: Options): Promise<number> {
  if (file === undefined || more.length > 0) throw usageError('import needs the path of one file.')
  const path = `/shops/${encodeURIComponent(required(options, 'shop'))}/imports`
  const found = await stat(file).catch(() => {
    throw new Error(`The file ${file} cannot be read.`)
  })
  if (!found.isFile())
    throw new Error(`${file} is ${found.isDirectory() ? 'a folder' : 'no file'}; import takes one file.`)
  const { size } = found
  const query = new URLSearchParams()
  if (options.format !== undefined) query.set('format', options.format)
  if (options['dry-run'] === true) query.set('dry_run', 'true')
  if (options['create-contacts'] === true) query.set('create_contacts', 'true')
  const method = options['default-payment-method']
  if (method !== undefined) query.set('default_payment_method', method)
  const progress = openProgress(size, () => recordsSoFar(client, path))
  try {
    const done = await upload(client, `${path}?${query.toString()}`, file, size, progress)
    progress.stop(done.processed)
    return report(done)
  } finally {
    progress.stop(null)
  }
}

async function upload(
  client: AdminClient,
  path: string,
  file: string,
  size: number,
  progress: Progress,
): Promise<ImportObject> {
  const url = new URL(`${client.url}${path}`)
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const headers = { authorization: `Bearer ${client.token}`, 'content-type': 'text/csv', 'content-length': size }
  const request = send(url, { method: 'POST', headers })
  const response = responseOf(request)
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, pass) {
      progress.sent(chunk)
      pass(null, chunk)
    },
  })
  // An error response may arrive while the file is being sent; it explains more than the broken pipe.
  const sent = pipeline(createReadStream(file), counted, request).catch((error: unknown) => response.then(() => error))
  const [{ status, body }] = await Promise.all([response, sent])
  if (status !== 201) throw new Error(messageOf(status, body))
  return body.data as ImportObject
}

function responseOf(request: ClientRequest): Promise<{ status: number; body: { [field: string]: unknown } }> {
  return new Promise((resolve, reject) => {
    request.once('error', (error) => {
      const words = 'If the file was on its way already, send it again: what went in stays.'
      reject(new Error(`The back office cannot be reached: ${error.message}. ${words}`))
    })
    request.once('response', (response: IncomingMessage) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, body: parseResponse(Buffer.concat(chunks).toString()) }),
      )
    })
  })
}

async function recordsSoFar(client: AdminClient, path: string): Promise<number> {
  const [newest] = (await client.walk(path, {}, 1)) as ImportObject[]
  return newest?.status === 'running' ? newest.processed : 0
}

function report(done: ImportObject): number {
  showFields([
    ['status', done.status],
    ['format', done.format],
    ['dry run', done.dryRun],
    ['records', done.processed],
    ['created', done.created],
    ['updated', done.updated],
    ['unchanged', done.unchanged],
    ['skipped', done.skipped],
    ['failed', done.failed],
    ['ignored columns', done.ignoredColumns.join(', ') || null],
    ['import', done.id],
  ])
  if (done.errors.length > 0) {
    process.stdout.write('\n')
    showTable(
      ['LINE', 'SEVERITY', 'COLUMN', 'CODE', 'MESSAGE'],
      done.errors.map(({ line, severity, column, code, message }) => [line, severity, column, code, message]),
    )
  }
  for (const advice of adviceOn(done)) process.stderr.write(`${advice}\n`)
  return done.status === 'completed' && done.failed === 0 ? 0 : 1
}

/** Lines on stderr that say what the report means for the next step. */
function adviceOn({ dryRun, failed, errors }: ImportObject): string[] {
  return [
    errors.length >= limits.importErrorsShown ? `Only the first ${limits.importErrorsShown} problems are shown.` : null,
    dryRun ? 'This was a dry run: nothing was written.' : null,
    failed > 0 && !dryRun ? 'Correct the rows that failed and send the file again: what went in stays as it is.' : null,
  ].filter((line) => line !== null)
}
