// The audit of a shop, or of the whole installation. docs/spec/audit.md
import { Option } from 'commander'
import { actions } from '#contracts/actions'
import { type Command, limitOption, shopPath, textOption } from '../command.ts'
import { fieldsOf, optionsOf, queryOf } from './fields.ts'

const filters = fieldsOf(actions['audit.list']).filter(({ path: [name] }) => name !== 'limit' && name !== 'cursor')

export const auditCommand: Command = {
  words: 'audit',
  about: 'changes by operators, refused ones too, and sign-ins, newest first',
  options: [
    new Option('--shop <shop>', 'only this shop: its handle or id'),
    ...filters.flatMap(optionsOf),
    limitOption(),
  ],
  examples: ['', '--shop demo --action orders.refund', '--created-after 7d --json'],
  async run(given) {
    const path = textOption(given, 'shop') === undefined ? '/audit' : `${shopPath(given)}/audit`
    await given.output.list(given.office().walk(path, queryOf(filters, given.options), given.options.limit as number))
  },
}
