// `storefront completion bash|zsh|fish`: a script that completes groups, verbs, options and their values, made of the commands.
import type { Option } from 'commander'
import { choiceArgument } from './choices.ts'
import type { Command } from './command.ts'

/** `all` returns every command, this one too. */
export function completionCommand(all: () => readonly Command[]): Command {
  return {
    words: 'completion',
    about: 'prints a completion script for a shell',
    args: [choiceArgument('shell', 'the shell', Object.keys(scripts))],
    examples: ['bash > ~/.local/share/bash-completion/completions/storefront', 'fish | source'],
    async run({ args, output }) {
      const shell = args[0] as keyof typeof scripts
      const script = scripts[shell](all())
      if (output.isJson) output.one({ shell, script })
      else process.stdout.write(script)
    },
  }
}

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }
const globalFlags = ['--url', '--json', '--help']

/** Candidates by what stands before the word: the words of the command so far, or these and an option with choices. */
function candidates(commands: readonly Command[]): Map<string, string[]> {
  const found = new Map<string, string[]>([['', [...new Set(commands.map(({ words }) => words.split(' ')[0] ?? ''))]]])
  for (const { words, args = [], options = [] } of commands) {
    const [group = '', verb] = words.split(' ')
    if (verb !== undefined) found.set(group, [...(found.get(group) ?? []), verb])
    const choices = args.flatMap((arg) => (typeof arg === 'string' ? [] : (arg.argChoices ?? [])))
    found.set(words, [...choices, ...options.map(flagOf), ...globalFlags])
    for (const option of options)
      if (option.argChoices !== undefined) found.set(`${words} ${flagOf(option)}`, option.argChoices)
  }
  return found
}

// Words that begin with a dash are left out of the command, and so is what stands behind an option with a value.
function bashScript(commands: readonly Command[]): string {
  const lines = [...candidates(commands)].map(([before, words]) => `    '${before}') words='${words.join(' ')}' ;;`)
  return `# Completion of storefront for bash.
_storefront() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" before='' words=''
  local i
  for ((i = 1; i < COMP_CWORD && i < 3; i++)); do
    [[ \${COMP_WORDS[i]} == -* ]] && break
    before="\${before:+$before }\${COMP_WORDS[i]}"
  done
  _storefront_words "$before $prev"
  [[ $prev == --* && -n $words ]] || _storefront_words "$before"
  [[ -n $words ]] || _storefront_words "\${before%% *}"
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
_storefront_words() {
  case "$1" in
${lines.join('\n')}
    *) words='' ;;
  esac
}
complete -o default -F _storefront storefront
`
}

// zsh reads completions of bash.
function zshScript(commands: readonly Command[]): string {
  return `#compdef storefront
autoload -U +X bashcompinit && bashcompinit
${bashScript(commands)}`
}

function fishScript(commands: readonly Command[]): string {
  const lines = [`complete -c storefront -f`, `complete -c storefront -l url -r -d ${quoted('the back office')}`]
  lines.push(`complete -c storefront -l json -d ${quoted('one line of JSON for each object')}`)
  const groups = new Set<string>()
  for (const { words, about, args = [], options = [] } of commands) {
    const [group = '', verb] = words.split(' ')
    if (!groups.has(group)) {
      lines.push(
        `complete -c storefront -n __fish_use_subcommand -a ${group}${verb === undefined ? ` -d ${quoted(about)}` : ''}`,
      )
    }
    groups.add(group)
    const isHere = `__fish_seen_subcommand_from ${group}`
    const verbs = commands.filter((one) => one.words.startsWith(`${group} `)).map((one) => one.words.split(' ')[1])
    if (verb !== undefined) {
      const isOpen = `${isHere}; and not __fish_seen_subcommand_from ${verbs.join(' ')}`
      lines.push(`complete -c storefront -n ${quoted(isOpen)} -a ${verb} -d ${quoted(about)}`)
    }
    const at = quoted(verb === undefined ? isHere : `${isHere}; and __fish_seen_subcommand_from ${verb}`)
    for (const arg of args) {
      if (typeof arg !== 'string')
        lines.push(`complete -c storefront -n ${at} -a ${quoted((arg.argChoices ?? []).join(' '))}`)
    }
    for (const option of options) {
      const value = option.required
        ? option.argChoices === undefined
          ? ' -r'
          : ` -x -a ${quoted(option.argChoices.join(' '))}`
        : ''
      lines.push(
        `complete -c storefront -n ${at} -l ${flagOf(option).slice(2)}${value} -d ${quoted(option.description)}`,
      )
    }
  }
  return `# Completion of storefront for fish.\n${lines.join('\n')}\n`
}

function flagOf({ long }: Option): string {
  return long ?? ''
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
