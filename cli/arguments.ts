// Owns the reading of the words and options behind `storefront`.
import { parseArgs } from 'node:util'

const known = {
  help: { type: 'boolean', short: 'h' },
  url: { type: 'string' },
  shop: { type: 'string' },
  format: { type: 'string' },
  'dry-run': { type: 'boolean' },
  'create-contacts': { type: 'boolean' },
  'default-payment-method': { type: 'string' },
  out: { type: 'string' },
  handle: { type: 'string' },
  name: { type: 'string' },
  currency: { type: 'string' },
  'time-zone': { type: 'string' },
  country: { type: 'string' },
  'owner-email': { type: 'string' },
  plan: { type: 'string' },
  access: { type: 'string' },
  status: { type: 'string' },
  'payment-status': { type: 'string' },
  email: { type: 'string' },
  limit: { type: 'string' },
  'forward-to': { type: 'string' },
  event: { type: 'string' },
  events: { type: 'string' },
  description: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  which: { type: 'string' },
} as const

export type Options = ReturnType<typeof readWords>['options']
type Misuse = Error & { name: 'Misuse' }

/** The command, the words behind it, and the options. Throws a misuse for an option that does not exist. */
export function readWords(args: string[]) {
  const { values, positionals } = parse(args)
  const [command, ...words] = positionals
  return { command, words, options: values }
}

/** A command that makes no sense: said to the person who typed it. */
export function misuse(message: string): Misuse {
  return Object.assign(new Error(`${message} See: npm run storefront -- help`), { name: 'Misuse' as const })
}

export function isMisuse(error: unknown): boolean {
  return error instanceof Error && error.name === 'Misuse'
}

/** The value of an option that a command cannot do without. */
export function needed(options: Options, name: 'shop' | 'handle' | 'name' | 'currency' | 'time-zone'): string {
  const value = options[name]
  if (value === undefined || value === '') throw misuse(`This command needs --${name}.`)
  return value
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: known, allowPositionals: true })
  } catch (error) {
    throw misuse(error instanceof Error ? error.message : String(error))
  }
}
