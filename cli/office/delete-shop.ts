// `storefront shops delete`: deletes a shop with everything in it, after its handle was typed again. docs/spec/back-office.md#deleting-a-shop
import { createInterface } from 'node:readline/promises'
import { Option } from 'commander'
import { type Command, textOption } from '../command.ts'
import { usageError } from '../failure.ts'

export const deleteShopCommand: Command = {
  words: 'shops delete',
  about: 'deletes a shop with everything in it, for good; asks for its handle, unless --yes repeats it',
  args: ['<handle>'],
  options: [new Option('--yes <handle>', 'the handle again, so that nothing is asked')],
  examples: ['demo', 'demo --yes demo'],
  async run(given) {
    const named = given.args[0] ?? ''
    const office = given.office()
    const path = `/shops/${encodeURIComponent(named)}`
    const { handle, name } = await office.call('GET', path)
    const typed = textOption(given, 'yes') ?? (await ask(String(handle), String(name)))
    if (typed !== handle) throw usageError(`Nothing was deleted: the handle is ${String(handle)}, not ${typed}.`)
    given.output.one(await office.call('DELETE', path, { handle }))
    given.output.note(
      'The shop is gone. Its data is deleted in the background; the audit says when everything is gone.',
    )
  },
}

async function ask(handle: string, name: string): Promise<string> {
  if (!process.stdin.isTTY) throw usageError(`shops delete needs --yes ${handle} where nobody can be asked.`)
  const line = createInterface({ input: process.stdin, output: process.stderr })
  const typed = await line.question(
    `This deletes ${name} with its orders, products and contacts for good.\nType ${handle} to go on: `,
  )
  line.close()
  return typed.trim()
}
