// What a command is: its words, arguments, options, examples and work. program.ts makes the command line of all of them.
import { type Argument, InvalidArgumentError, Option } from 'commander'
import type { BackOffice, Json } from './office/back-office.ts'
import { refused } from './failure.ts'
import { numberIn, type Values } from './office/fields.ts'
import type { Output } from './output.ts'

export type Given = {
  /** The arguments behind the words; an optional one that is missing is undefined. */
  args: (string | undefined)[]
  /** By their names in camel case. */
  options: Values
  /** `--url`. */
  url: string | undefined
  output: Output
  /** Throws where there is no token for the back office. */
  office(): BackOffice
}

export type Command = {
  /** `orders ship`. */
  words: string
  about: string
  /** In the form of Commander: `<id>` or `[id]`. */
  args?: (string | Argument)[]
  readonly options?: Option[]
  /** What follows the words. */
  examples: string[]
  /** Returns the exit status; nothing means 0. */
  run(given: Given): Promise<number | void>
}

const LIMIT = 25

/** The option that says whose data a command is about. */
export function shopOption(): Option {
  return new Option('--shop <shop>', 'handle or id of the shop').makeOptionMandatory()
}

/** How many rows of a list are shown. */
export function limitOption(): Option {
  return new Option('--limit <number>', 'the most rows to show').default(LIMIT).argParser((given) => {
    const limit = numberIn(given)
    if (limit < 1) throw new InvalidArgumentError('It must be 1 or more.')
    return limit
  })
}

/** The text of an option; undefined where it was not given. */
export function textOption({ options }: Given, name: string): string | undefined {
  const { [name]: given } = options
  return typeof given === 'string' ? given : undefined
}

/** The path of the shop that `--shop` names. */
export function shopPath(given: Given): string {
  return `/shops/${encodeURIComponent(textOption(given, 'shop') ?? '')}`
}

/** The word that stands for the newest object of a list. */
export const NEWEST = 'latest'

/** The id that an argument means; `list` returns the newest object first. Throws where there is none. */
export async function idIn(word: string, list: () => AsyncIterable<Json>): Promise<string> {
  if (word !== NEWEST) return word
  for await (const { id } of list()) return String(id)
  throw refused('The list is empty: latest names no object.')
}
