// `storefront import`: streams a file to the back office, which imports it in the background, follows it to its end and shows the report.
// Ctrl-C cancels it. docs/spec/imports.md#dry-run-and-report, docs/spec/command-line.md
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { Transform } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { Option } from 'commander'
import { importQuery } from '#contracts/input/import'
import type { ImportRecord } from '#contracts/objects/import-record'
import { whyUnusable } from '#files/unusable'
import { answerOf, type BackOffice, cannotBeReached, type Json } from '../office/back-office.ts'
import { type Command, shopOption, shopPath, textOption } from '../command.ts'
import { refused, unreachable } from '../failure.ts'
import { fieldsOf, optionsOf, queryOf } from '../office/fields.ts'
import type { Output } from '../output.ts'
import { follow, type ImportObject } from './follow-import.ts'
import { saveProblems } from './import-errors.ts'
import { openInterrupt } from './interrupt.ts'
import { openProgress, type Progress } from './progress.ts'

const fields = fieldsOf(importQuery.omit({ background: true }))

export const importCommand: Command = {
  words: 'import',
  about: 'products, orders and contacts from a CSV file; the header decides the format; Ctrl-C cancels it',
  args: ['<file>'],
  options: [
    shopOption(),
    ...fields.flatMap(optionsOf),
    new Option('--errors <file>', 'a file for all problems, as CSV with what to do about each'),
  ],
  examples: ['deploy/demo/shopify-products.csv --shop demo --dry-run', 'orders.csv --shop demo --create-contacts'],
  async run(given) {
    const file = given.args[0] ?? ''
    const office = given.office()
    const path = `${shopPath(given)}/imports`
    const size = await sizeOf(file)
    const query = new URLSearchParams({ ...queryOf(fields, given.options), background: 'true' })
    await office.check()
    const progress = openProgress(size)
    const interrupt = openInterrupt()
    try {
      const queued = await upload(office, `${path}?${query.toString()}`, file, size, progress, interrupt.first)
      const done = await follow(office, `${path}/${queued.id}`, { progress, interrupt, note: given.output.note })
      progress.stop()
      const errors = textOption(given, 'errors')
      if (errors !== undefined) await saveProblems(office, `${path}/${queued.id}`, errors)
      report(done, given.output, errors)
      return done.status === 'completed' && done.failed === 0 ? 0 : 1
    } finally {
      progress.stop()
      interrupt.close()
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
  interrupted: AbortSignal,
): Promise<ImportObject> {
  const url = new URL(`${office.url}${path}`)
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const headers = { authorization: `Bearer ${office.token}`, 'content-type': 'text/csv', 'content-length': size }
  const request = send(url, { method: 'POST', headers, signal: interrupted })
  const response = responseOf(request, url, interrupted)
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, pass) {
      progress.sent(chunk.length)
      pass(null, chunk)
    },
  })
  // An error response may arrive while the file is being sent; it explains more than the broken pipe.
  const sent = pipeline(createReadStream(file), counted, request).catch((error: unknown) => response.then(() => error))
  const [answer] = await Promise.all([response, sent])
  return answerOf(answer.status, answer.text).data as Json & ImportRecord
}

function responseOf(
  request: ClientRequest,
  url: URL,
  interrupted: AbortSignal,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    request.once('error', (error) => {
      const words = 'If the file was being sent, import it again.'
      reject(
        interrupted.aborted
          ? refused('Stopped while the file was being sent: nothing was imported.')
          : unreachable(`${cannotBeReached(url.href, error).message} ${words}`),
      )
    })
    request.once('response', (response: IncomingMessage) => {
      text(response).then((content) => resolve({ status: response.statusCode ?? 0, text: content }), reject)
    })
  })
}

function report(done: ImportObject, output: Output, errors: string | undefined): void {
  output.one(done)
  for (const advice of adviceOn(done, errors)) output.note(advice)
}

/** Lines on stderr that say what the report means for the next step. */
function adviceOn({ id, dryRun, failed, status, errors: shown, problemCounts }: ImportObject, file?: string): string[] {
  const all = Object.values(problemCounts).reduce((sum, count) => sum + count, 0)
  return [
    file === undefined ? null : `${all} problems are in ${file}.`,
    all > shown.length && file === undefined
      ? `${shown.length} of ${all} problems are shown; all of them: imports errors ${id}`
      : null,
    dryRun ? 'This was a dry run: nothing was written.' : null,
    status === 'cancelled' && !dryRun ? 'The import was cancelled: what it had written stays.' : null,
    failed > 0 && !dryRun
      ? 'Correct the failed rows and import the file again: imported records stay as they are.'
      : null,
  ].filter((line) => line !== null)
}
