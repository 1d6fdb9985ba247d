// `storefront keys`: list, create, revoke.
import type { AdminClient } from './admin-client.ts'
import { showFields, showTable } from './terminal.ts'
import { usageError, required, type Options } from './arguments.ts'

type Key = {
  id: string
  name: string
  access: string
  prefix: string
  lastFour: string
  lastUsedAt: string | null
  createdAt: string
  revokedAt: string | null
}

export async function keysCommand(
  client: AdminClient,
  [verb = 'list', id]: string[],
  options: Options,
): Promise<number> {
  const path = `/shops/${encodeURIComponent(required(options, 'shop'))}/keys`
  switch (verb) {
    case 'list': {
      const keys = (await client.walk(path, {}, 1_000)) as Key[]
      showTable(
        ['ID', 'NAME', 'ACCESS', 'KEY', 'LAST USED', 'CREATED', 'REVOKED'],
        keys.map((key) => [
          key.id,
          key.name,
          key.access,
          `${key.prefix}…${key.lastFour}`,
          key.lastUsedAt,
          key.createdAt,
          key.revokedAt,
        ]),
      )
      return 0
    }
    case 'create': {
      const body = { name: required(options, 'name'), access: options.access ?? 'read' }
      const key = (await client.call('POST', path, body)) as Key & { secret: string }
      showFields([
        ['id', key.id],
        ['name', key.name],
        ['access', key.access],
        ['secret', key.secret],
      ])
      process.stderr.write('The secret is not shown again.\n')
      return 0
    }
    case 'revoke':
      if (id === undefined) throw usageError('keys revoke needs the id of a key.')
      await client.call('DELETE', `${path}/${encodeURIComponent(id)}`)
      process.stdout.write('Revoked.\n')
      return 0
    default:
      throw usageError(`keys knows list, create and revoke, not ${verb}.`)
  }
}
