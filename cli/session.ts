// `storefront login`, `logout` and `whoami`.
import type { Command } from './command.ts'
import { login, logout } from './office/access.ts'

export const sessionCommands: Command[] = [
  {
    words: 'login',
    about: 'stores an address and its token for further commands; asks for the token, or reads it from stdin',
    examples: ['--url https://backoffice.example.com'],
    async run({ url, output }) {
      const address = await login(url)
      if (output.isJson) output.one({ url: address })
      else output.note(`Logged in to ${address}.`)
    },
  },
  {
    words: 'logout',
    about: 'removes a token that login stored',
    examples: ['', '--url https://backoffice.example.com'],
    async run({ url, output }) {
      const address = logout(url)
      if (output.isJson) output.one({ url: address })
      else output.note(`Logged out of ${address}.`)
    },
  },
  {
    words: 'whoami',
    about: 'the operator that the token belongs to',
    examples: [''],
    run: async (given) => given.output.one(await given.office().call('GET', '/me')),
  },
]
