// Reads the command, its words and its options. docs/spec/running.md#command-line
import { parseArgs } from 'node:util'
import { eventKinds, type EventKind } from '#contracts/objects/webhook-event'
import { type EventFilter, eventFilters } from '#contracts/objects/webhook'

const optionTypes = {
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

export type Options = ReturnType<typeof readArguments>['options']
type UsageError = Error & { name: 'UsageError' }

/** The command, the words after it, and the options. Throws a usage error for an unknown option. */
export function readArguments(args: string[]) {
  const { values, positionals } = parse(args)
  const [command, ...words] = positionals
  return { command, words, options: values }
}

/** A command that cannot be understood; the exit status is 2. */
export function usageError(message: string): UsageError {
  return Object.assign(new Error(`${message} See: npm run storefront -- help`), { name: 'UsageError' as const })
}

export function isUsageError(error: unknown): boolean {
  return error instanceof Error && error.name === 'UsageError'
}

/** The value of an option that the command requires. Throws a usage error where it is absent. */
export function required(options: Options, name: 'shop' | 'handle' | 'name' | 'currency' | 'time-zone'): string {
  const value = options[name]
  if (value === undefined || value === '') throw usageError(`This command needs --${name}.`)
  return value
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: optionTypes, allowPositionals: true })
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : String(error))
  }
}

/** The filters in `--events`: names, families or `*`, comma-separated. Throws a usage error for an unknown name. */
export function filtersOf(text = '*'): EventFilter[] {
  return text.split(',').map((name) => {
    const filter = eventFilters.find((known) => known === name.trim())
    if (filter === undefined) throw usageError(`--events: there is no event ${name.trim()}.`)
    return filter
  })
}

/** The event kind of that name. Throws a usage error for an unknown one. */
export function kindOf(name: string): EventKind {
  const kind = eventKinds.find((known) => known === name)
  if (kind === undefined) throw usageError(`There is no event ${name}; there are ${eventKinds.join(', ')}.`)
  return kind
}
