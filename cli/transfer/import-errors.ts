// `storefront imports errors`: every problem of an import as CSV, streamed to stdout or into a file. docs/spec/imports.md#problems
import { createWriteStream } from 'node:fs'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Option } from 'commander'
import { whyUnusable } from '#files/unusable'
import { answerOf, type BackOffice, cannotBeReached } from '../office/back-office.ts'
import { type Command, idIn, shopOption, shopPath, textOption } from '../command.ts'
import { refused } from '../failure.ts'

export const importErrorsCommand: Command = {
  words: 'imports errors',
  about: 'every problem of an import as CSV, with what to do about it',
  args: ['<id>'],
  options: [shopOption(), new Option('--out <file>', 'a file to write instead of stdout')],
  examples: ['latest --shop demo --out problems.csv'],
  async run(given) {
    const list = `${shopPath(given)}/imports`
    const office = given.office()
    await office.check()
    const id = await idIn(given.args[0] ?? '', () => office.walk(list, {}, 1))
    await saveProblems(office, `${list}/${encodeURIComponent(id)}`, textOption(given, 'out'))
  },
}

/** `path` is that of the import; without a file to stdout. */
export async function saveProblems({ url, token }: BackOffice, path: string, file?: string): Promise<void> {
  const address = `${url}${path}/errors`
  const response = await fetch(address, { redirect: 'manual', headers: { authorization: `Bearer ${token}` } }).catch(
    (error: unknown) => {
      throw cannotBeReached(address, error)
    },
  )
  if (!response.ok || response.body === null) {
    answerOf(response.status, await response.text())
    throw refused('The problems cannot be read.')
  }
  const out: Writable = file === undefined ? process.stdout : createWriteStream(file)
  await pipeline(Readable.fromWeb(response.body), out, { end: file !== undefined }).catch((error: unknown) => {
    const reason = file === undefined ? null : whyUnusable(error)
    throw reason === null ? error : refused(`The file ${file} cannot be written: ${reason}.`)
  })
}
