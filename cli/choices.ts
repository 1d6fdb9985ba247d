// Options and arguments that take one of several words; a wrong word suggests the right one.
import { Argument, InvalidArgumentError, Option } from 'commander'

export function choiceOption(flags: string, about: string, words: readonly string[]): Option {
  return new Option(flags, about).choices(words).argParser((given) => oneOf(given, words))
}

export function choiceArgument(name: string, about: string, words: readonly string[]): Argument {
  return new Argument(`<${name}>`, about).choices(words).argParser((given) => oneOf(given, words))
}

/** The option as a comma-separated list, each part one of the words where there are any. */
export function listOption(option: Option, words: readonly string[]): Option {
  const parse = (text: string) => listIn(text, words)
  return words.length === 0 ? option.argParser(parse) : option.choices(words).argParser(parse)
}

function listIn(text: string, words: readonly string[]): string[] {
  const parts = text.split(',').map((part) => part.trim())
  return parts.filter((part) => part !== '' && (words.length === 0 || oneOf(part, words)))
}

/** The word itself. Throws an error that Commander shows with the name of the option. */
function oneOf(given: string, words: readonly string[]): string {
  if (words.includes(given)) return given
  const meant = words.toSorted((a, b) => distance(given, a) - distance(given, b))[0] ?? ''
  const isNear = distance(given, meant) <= Math.max(2, given.length / 3)
  throw new InvalidArgumentError(isNear ? `Did you mean ${meant}?` : `Allowed values: ${words.join(', ')}.`)
}

/** How many letters must be added, left out or changed. */
function distance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (const [row, letter] of [...from].entries()) {
    const own = [row + 1]
    for (let at = 1; at <= to.length; at += 1) {
      const change = (above[at - 1] ?? 0) + (to[at - 1] === letter ? 0 : 1)
      own.push(Math.min(change, (above[at] ?? 0) + 1, (own[at - 1] ?? 0) + 1))
    }
    above = own
  }
  return above.at(-1) ?? 0
}
