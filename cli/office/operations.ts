// Commands for operators of the installation: sign-in links by email, and parked messages.
// docs/spec/operators-and-roles.md#operators docs/spec/outboxes.md#parked-messages
import { Option } from 'commander'
import type { OutboxMessage } from '#contracts/objects/outbox-message'
import { outboxTopics } from '#contracts/outbox-messages'
import { type BackOffice, gather, type Json } from './back-office.ts'
import { choiceOption } from '../choices.ts'
import { type Command, limitOption, textOption } from '../command.ts'
import { refused } from '../failure.ts'

const schemas = Object.keys(outboxTopics)
const schemaOption = () => choiceOption('--schema <choice>', 'only the outbox of this service', schemas)

export const operationCommands: Command[] = [
  {
    words: 'operators link',
    about: 'a link that signs an operator in to the console, once and within 15 minutes',
    options: [new Option('--email <text>', 'the email of the operator').makeOptionMandatory()],
    examples: ['--email mina@example.com'],
    async run(given) {
      const office = given.office()
      const email = textOption(given, 'email') ?? ''
      const [found] = await gather(office.walk('/operators', { email }, 1))
      if (found === undefined) throw refused(`There is no operator with the email ${email}.`)
      given.output.one(await office.call('POST', `/operators/${String(found.id)}/sign-in-links`))
    },
  },
  {
    words: 'outbox list',
    about: 'parked messages: their receiver refused them too often',
    options: [schemaOption(), limitOption()],
    examples: ['', '--schema orders'],
    async run(given) {
      const rows = await parked(given.office(), textOption(given, 'schema'))
      await given.output.list(rows.slice(0, Number(given.options.limit)))
    },
  },
  {
    words: 'outbox retry',
    about: 'tries a parked message again; later messages about its object follow in order',
    args: ['<id>'],
    examples: ['latest'],
    async run(given) {
      const path = await pathOf(given.office(), given.args[0] ?? '')
      given.output.one(await given.office().call('POST', `${path}/retry`))
    },
  },
  {
    words: 'outbox drop',
    about: 'drops a parked message for good; later messages about its object are sent',
    args: ['<id>'],
    examples: ['latest'],
    async run(given) {
      given.output.one(await given.office().call('DELETE', await pathOf(given.office(), given.args[0] ?? '')))
    },
  },
]

/** The messages of one outbox or of all, the last parked first. */
async function parked(office: BackOffice, only?: string): Promise<Json[]> {
  const rows: Json[] = []
  for (const schema of schemas) {
    if (only === undefined || only === schema) rows.push(...(await gather(office.walk(`/outbox/${schema}`, {}, 1_000))))
  }
  const timeOf = (row: Json) => (row as OutboxMessage).parkedAt ?? ''
  return rows.sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1))
}

async function pathOf(office: BackOffice, id: string): Promise<string> {
  const rows = (await parked(office)) as OutboxMessage[]
  const found = id === 'latest' ? rows[0] : rows.find((row) => row.id === id)
  if (found === undefined) throw refused('No outbox has this message.')
  return `/outbox/${found.schema}/${found.id}`
}
