// The command line as Commander sees it: groups and verbs, help with examples, and words for what is wrong.
// docs/spec/command-line.md
import { CommanderError, type Option, Command as Verb } from 'commander'
import { styleText } from 'node:util'
import { archiveCommands } from './archive/commands.ts'
import { auditCommand } from './office/audit.ts'
import { findBackOffice } from './office/access.ts'
import type { Command } from './command.ts'
import { completionCommand } from './completion.ts'
import { deleteShopCommand } from './office/delete-shop.ts'
import { deliveryCommands } from './events/deliveries.ts'
import { exportCommand } from './transfer/export.ts'
import { statusOf } from './failure.ts'
import { importCommand } from './transfer/import.ts'
import { importErrorsCommand } from './transfer/import-errors.ts'
import { personDataCommand } from './transfer/person-data.ts'
import { listenCommand } from './events/listen.ts'
import { officeCommands } from './office/office-commands.ts'
import { operationCommands } from './office/operations.ts'
import { openOutput } from './output.ts'
import { sessionCommands } from './session.ts'
import { groups } from './office/table.ts'
import { triggerCommand } from './events/trigger.ts'

/** As a person types it: the sources are started by npm, a package by its own name. */
const NAME = import.meta.filename.endsWith('.ts') ? 'npm run storefront --' : 'storefront'

export const commands: readonly Command[] = [
  ...[...officeCommands, deleteShopCommand, personDataCommand, ...deliveryCommands, ...operationCommands].sort(
    (a, b) => rankOf(a) - rankOf(b),
  ),
  ...[
    importCommand,
    importErrorsCommand,
    exportCommand,
    ...archiveCommands,
    listenCommand,
    triggerCommand,
    auditCommand,
    ...sessionCommands,
  ],
  completionCommand(() => commands),
]

// Other words for a verb, which people try first.
const synonyms: Record<string, string[]> = {
  list: ['ls'],
  show: ['get'],
  create: ['add', 'new'],
  change: ['update', 'edit'],
  delete: ['remove', 'rm'],
}

// In the help of a group.
const GROUP_EXAMPLES = 3

type Given = { url?: string; json?: boolean }

/** Runs a command and writes what it has to say; returns its exit status. */
export async function runCommandLine(given: string[]): Promise<number> {
  const args = withVerb(given)
  let status = 0
  try {
    const program = makeProgram(args, (ended) => {
      status = ended
    })
    if (args.length === 0) program.help()
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    status = statusOf(error)
    if (!(error instanceof CommanderError)) {
      process.stderr.write(`${prefix()} ${error instanceof Error ? error.message : String(error)}\n`)
    }
    if (status === 2) process.stderr.write(`${hintFor(args)}\n`)
  }
  return status
}

// Options are made only for the group in `args`: the others need their names alone. `finish` gets the exit status of the command.
function makeProgram(args: string[], finish: (status: number) => void): Verb {
  const program = prepared(new Verb(NAME))
    .description('The back office of Storefront at the command line.')
    .option('--url <url>', 'address of the back office; without it the last login, or http://127.0.0.1:$ADMIN_PORT')
    .option('--json', 'one line of JSON for each object')
    .addHelpText('after', closing)
  for (const command of commands) {
    const [first = '', second] = command.words.split(' ')
    const parent = second === undefined ? program : groupIn(program, first)
    const verb = verbOf(command, second ?? first, program, finish)
    if (args.includes(first)) for (const option of command.options ?? []) verb.addOption(hidden(option))
    parent.addCommand(verb)
  }
  return program
}

function groupIn(program: Verb, name: string): Verb {
  const found = program.commands.find((one) => one.name() === name)
  if (found !== undefined) return found
  const group = prepared(new Verb(name))
    .description(groups[name] ?? '')
    .helpCommand(false)
    .addHelpText(
      'after',
      examplesOf(commands.filter(({ words }) => words.startsWith(`${name} `)).slice(0, GROUP_EXAMPLES)),
    )
  program.addCommand(group)
  return group
}

function verbOf(command: Command, name: string, program: Verb, finish: (status: number) => void): Verb {
  const verb = prepared(new Verb(name))
    .description(sentence(command.about))
    .aliases(synonyms[name] ?? [])
  for (const arg of command.args ?? []) {
    if (typeof arg === 'string') verb.argument(arg)
    else verb.addArgument(arg)
  }
  verb.addHelpText('after', examplesOf([command]))
  return verb.action(async () => {
    const { url, json } = program.opts<Given>()
    const status = await command.run({
      args: verb.args,
      options: verb.opts(),
      url,
      output: openOutput(json === true),
      office: () => findBackOffice(url),
    })
    finish(status ?? 0)
  })
}

function examplesOf(shown: readonly Command[]): string {
  const lines = shown.flatMap(({ words, examples }) =>
    (shown.length === 1 ? examples : examples.slice(0, 1)).map((example) => `  ${NAME} ${words} ${example}`.trimEnd()),
  )
  return `\nExamples:\n${lines.join('\n')}`
}

// Without synonyms.
function usageOf(verb: Verb): string {
  const names = [verb.name()]
  for (let { parent } = verb; parent !== null; { parent } = parent) names.unshift(parent.name())
  return `${names.join(' ')} ${verb.usage()}`
}

// The help shows `--refund` without a line for `--no-refund`.
function hidden(option: Option): Option {
  return option.negate ? option.hideHelp() : option
}

function prepared(verb: Verb): Verb {
  return verb
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (one) => one.name(), commandUsage: usageOf })
    .configureOutput({ outputError: (text, write) => write(`${prefix()} ${sentence(text)}\n`) })
}

// The beginning of a line on stderr.
function prefix(): string {
  return styleText('red', 'storefront:', { stream: process.stderr })
}

// Commander says "error: unknown command 'shpos'\n(Did you mean shops?)".
function sentence(text: string): string {
  const plain = text
    .replace(/^error: /, '')
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}${/[.?)]$/.test(plain) ? '' : '.'}`
}

const closing = `
An id may be the word latest: the newest object of its list. A time is 2026-08-12T09:30:00Z, or 90m, 12h or 7d before now.

The token is ADMIN_TOKEN, or the token of a login, or, on this machine, the token in the data folder (DATA_DIR) of the product.
Exit status: 0 success, 1 the request was refused or failed, 2 invalid usage, 3 the back office cannot be reached.
${NAME} orders ship --help shows one command with examples.`

function rankOf({ words }: Command): number {
  return Object.keys(groups).indexOf(words.split(' ')[0] ?? '')
}

// `keys --shop demo` means `keys list --shop demo`; so does `keys`, where the group has a list. `archive --shop demo` creates an archive.
function withVerb(args: string[]): string[] {
  const [group = '', next] = args
  const verb = group === 'archive' ? 'create' : 'list'
  const hasVerb = commands.some(({ words }) => words === `${group} ${verb}`)
  const isVerb = next !== undefined && (!next.startsWith('-') || next === '-h' || next === '--help')
  return hasVerb && !isVerb ? [group, verb, ...args.slice(1)] : args
}

// Names the help of a command that was used in an invalid way.
function hintFor(args: string[]): string {
  const known = commands.find(({ words }) => words === args.slice(0, words.split(' ').length).join(' '))
  const words = known?.words ?? (Object.hasOwn(groups, args[0] ?? '') ? args[0] : '')
  return `See: ${[NAME, words, '--help'].filter((part) => part !== '').join(' ')}`
}
