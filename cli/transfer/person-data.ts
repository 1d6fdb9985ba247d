// `storefront contacts data`: everything that is held about one person, as one JSON document. docs/spec/back-office.md#the-data-of-one-person
// A file gets its name when the document is complete: an answer that ends early leaves none.
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { Option } from 'commander'
import { whyUnusable } from '#files/unusable'
import { type Command, idIn, shopOption, shopPath, textOption } from '../command.ts'
import { refused } from '../failure.ts'

export const personDataCommand: Command = {
  words: 'contacts data',
  about: 'everything that is held about one person, as one JSON document; the audit says who took it',
  args: ['<id>'],
  options: [shopOption(), new Option('--out <file>', 'a file to write instead of stdout')],
  examples: ['latest --shop demo --out person.json', 'latest --shop demo'],
  async run(given) {
    const office = given.office()
    const list = `${shopPath(given)}/contacts`
    const id = await idIn(given.args[0] ?? '', () => office.walk(list, {}, 1))
    const bytes = office.download(`${list}/${encodeURIComponent(id)}/data`)
    const file = textOption(given, 'out')
    if (file === undefined) {
      for await (const piece of bytes) process.stdout.write(piece)
      process.stdout.write('\n')
      return
    }
    await writeWhole(file, bytes)
    given.output.note(`The data was written to ${file}.`)
  },
}

async function writeWhole(file: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const unfinished = `${file}.part`
  try {
    await pipeline(bytes, createWriteStream(unfinished, { mode: 0o600 }))
    await rename(unfinished, file)
  } catch (error) {
    await rm(unfinished, { force: true })
    const reason = whyUnusable(error)
    throw reason === null ? error : refused(`The file ${file} cannot be written: ${reason}.`)
  }
}
