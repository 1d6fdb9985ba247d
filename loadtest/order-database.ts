// Owns the way of the load programs to the orders schema: DATABASE_URL or `--database`, and numbers as arguments.
import { readConfig } from '#config/config'
import { connect, type Database } from '#postgres/connect'
import { migrate } from '#postgres/migrate'
import { orders } from '../services/orders/service.ts'

/** The orders schema, brought to its newest version, over one connection and without a time limit. */
export async function openOrders(givenUrl: string | undefined): Promise<Database> {
  const url = givenUrl ?? readConfig(process.env, 'embedded').databaseUrl
  if (url === null) throw new Error('Set DATABASE_URL or give --database.')
  if (orders.storage === null) throw new Error('The orders service keeps no rows.')
  const { role } = await migrate(orders.storage, url)
  const onError = (error: Error) => process.stderr.write(`a connection broke: ${error.message}\n`)
  return connect(orders.storage, { url, role, connectionsMax: 1, statementTimeoutMs: 0, onError })
}

/** The whole number of an argument, at least 1. */
export function wholeNumber(name: string, text: string): number {
  const number = Number(text.replaceAll('_', ''))
  if (!Number.isSafeInteger(number) || number < 1) throw new Error(`--${name} must be a whole number above zero.`)
  return number
}
