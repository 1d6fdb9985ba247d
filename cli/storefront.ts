// `npm run storefront -- <command>`: the command line over the back-office API. Exit status: 0 success, 1 failure, 2 a command
// that cannot be understood. docs/spec/running.md#command-line
import { readConfig } from '#config/config'
import { findSecret } from '#config/generated-secrets'
import { checkBackOffice, openAdminClient } from './admin-client.ts'
import { exportCommand } from './export.ts'
import { help } from './help.ts'
import { importCommand } from './import.ts'
import { keysCommand } from './keys.ts'
import { listenCommand } from './listen.ts'
import { ordersCommand } from './orders.ts'
import { shopsCommand } from './shops.ts'
import { triggerCommand } from './trigger.ts'
import { webhooksCommand } from './webhooks.ts'
import { isUsageError, usageError, readArguments } from './arguments.ts'

const commands = {
  shops: shopsCommand,
  keys: keysCommand,
  import: importCommand,
  export: exportCommand,
  orders: ordersCommand,
  webhooks: webhooksCommand,
  listen: listenCommand,
  trigger: triggerCommand,
}

try {
  process.exitCode = await runCommand(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`storefront: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = isUsageError(error) ? 2 : 1
}

async function runCommand(args: string[]): Promise<number> {
  const { command, words, options } = readArguments(args)
  if (options.help === true || command === undefined || command === 'help') {
    process.stdout.write(help)
    return 0
  }
  if (!Object.hasOwn(commands, command)) {
    throw usageError(`There is no command ${command}; there are ${Object.keys(commands).join(', ')} and help.`)
  }
  const config = readConfig(process.env, 'embedded')
  const token = config.adminToken ?? findSecret(config.dataDir, 'ADMIN_TOKEN')
  if (token === null) {
    throw new Error(
      `There is no token: set ADMIN_TOKEN, or start the product once (its token is kept in ${config.dataDir}).`,
    )
  }
  const client = openAdminClient(options.url ?? `http://127.0.0.1:${config.adminPort}`, token)
  await checkBackOffice(client)
  return commands[command as keyof typeof commands](client, words, options)
}
