// `storefront import`: streams a file to the back office, shows the progress, then the report.
// docs/spec/imports.md#dry-run-and-report
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { Transform } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { importQuery } from '#contracts/input/import'
import { limits } from '#contracts/limits'
import type { ImportRecord } from '#contracts/objects/import-record'
import { whyUnusable } from '#files/unusable'
import { answerOf, type BackOffice, cannotBeReached, gather, type Json } from '../office/back-office.ts'
import { type Command, shopOption, shopPath } from '../command.ts'
import { refused, unreachable } from '../failure.ts'
import { fieldsOf, optionsOf, queryOf } from '../office/fields.ts'
import type { Output } from '../output.ts'
import { openProgress, type Progress } from './progress.ts'

type ImportObject = Json & ImportRecord

const fields = fieldsOf(importQuery)

export const importCommand: Command = {
  words: 'import',
  about: 'products, orders and contacts from a CSV file; the header decides the format',
  args: ['<file>'],
  options: [shopOption(), ...fields.flatMap(optionsOf)],
  examples: ['deploy/demo/shopify-products.csv --shop demo --dry-run', 'orders.csv --shop demo --create-contacts'],
  async run(given) {
    const file = given.args[0] ?? ''
    const office = given.office()
    const path = `${shopPath(given)}/imports`
    const size = await sizeOf(file)
    const query = new URLSearchParams(queryOf(fields, given.options))
    await office.check()
    const progress = openProgress(size, () => recordsSoFar(office, path))
    try {
      const done = await upload(office, `${path}?${query.toString()}`, file, size, progress)
      progress.stop(done.processed)
      report(done, given.output)
      return done.status === 'completed' && done.failed === 0 ? 0 : 1
    } finally {
      progress.stop(null)
    }
  },
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch((error: unknown) => {
    throw refused(`The file ${file} cannot be read: ${whyUnusable(error)}.`)
  })
  if (found.isFile()) return found.size
  throw refused(`${file} is ${found.isDirectory() ? 'a folder' : 'not a file'}; import takes one file.`)
}

async function upload(
  office: BackOffice,
  path: string,
  file: string,
  size: number,
  progress: Progress,
): Promise<ImportObject> {
  const url = new URL(`${office.url}${path}`)
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const headers = { authorization: `Bearer ${office.token}`, 'content-type': 'text/csv', 'content-length': size }
  const request = send(url, { method: 'POST', headers })
  const response = responseOf(request, url)
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, pass) {
      progress.sent(chunk)
      pass(null, chunk)
    },
  })
  // An error response may arrive while the file is being sent; it explains more than the broken pipe.
  const sent = pipeline(createReadStream(file), counted, request).catch((error: unknown) => response.then(() => error))
  const [answer] = await Promise.all([response, sent])
  return answerOf(answer.status, answer.text).data as ImportObject
}

function responseOf(request: ClientRequest, url: URL): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    request.once('error', (error) => {
      const words = 'If the file was being sent, import it again: records that were imported stay.'
      reject(unreachable(`${cannotBeReached(url.href, error).message} ${words}`))
    })
    request.once('response', (response: IncomingMessage) => {
      text(response).then((content) => resolve({ status: response.statusCode ?? 0, text: content }), reject)
    })
  })
}

async function recordsSoFar(office: BackOffice, path: string): Promise<number> {
  const [newest] = (await gather(office.walk(path, {}, 1))) as ImportObject[]
  return newest?.status === 'running' ? newest.processed : 0
}

function report(done: ImportObject, output: Output): void {
  output.one(done)
  for (const advice of adviceOn(done)) output.note(advice)
}

/** Lines on stderr that say what the report means for the next step. */
function adviceOn({ dryRun, failed, errors }: ImportObject): string[] {
  return [
    dryRun ? 'This was a dry run: nothing was written.' : null,
    failed > 0 && !dryRun
      ? 'Correct the failed rows and import the file again: imported records stay as they are.'
      : null,
  ].filter((line) => line !== null)
}
