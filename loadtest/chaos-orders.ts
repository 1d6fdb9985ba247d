// Owns killing the orders service at bad moments, again and again, and saying whether anything was lost or done twice.
// Killed with SIGKILL in mid-command, after a commit and before the relay, and between hand-over and mark.
// node loadtest/chaos-orders.ts [--rounds 200] [--callers 8] [--keep] [--database <url of a server>]
//
// A real `node services/orders/main.ts` runs on a NATS and a database of its own; this process stands for contacts, catalog
// and webhooks, which are never killed, and for the callers. A caller repeats a command under its Idempotency-Key until it
// hears a definite answer, as a checkout does. At the end everything is judged from the database (chaos-judge.ts).
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { readConfig } from '#broker/config'
import { findNatsServer, startNatsServer } from '#broker/nats-server'
import pg from 'pg'
import { startCallers } from './chaos-callers.ts'
import { judge } from './chaos-judge.ts'
import { startOrders } from './chaos-process.ts'
import { startOutside } from './chaos-outside.ts'
import { openOrders, wholeNumber } from './order-database.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    callers: { type: 'string', default: '8' },
    keep: { type: 'boolean', default: false },
    database: { type: 'string' },
  },
})
const rounds = wholeNumber('rounds', values.rounds)
const callerCount = wholeNumber('callers', values.callers)
const config = readConfig(process.env, 'embedded')
const serverUrl = values.database ?? config.databaseUrl
const program = findNatsServer('')
if (serverUrl === null) throw new Error('Set DATABASE_URL or give --database.')
if (program === null) throw new Error('Install nats-server.')

// Each round ends in one of these moments; `any` is in the midst of commands, wherever the load happens to be.
const moments = ['any', 'after an answer', 'before webhooks stored', 'after webhooks stored'] as const

const name = `chaos_${randomUUID().replaceAll('-', '')}`
await onServer(`create database ${name}`)
const url = new URL(serverUrl)
url.pathname = `/${name}`
const nats = await startNatsServer(program)
const settings = { ...config, databaseUrl: url.href, natsServers: [nats.url], opsPort: 0, secretKey: 'x'.repeat(40) }
const outside = await startOutside({ ...settings, publicUrl: '' })
const killed: Record<string, number> = {}
try {
  let service = await startOrders(settings, outside.broker)
  const callers = startCallers(outside.broker, callerCount, () => service)
  for (let round = 0; round < rounds; round += 1) {
    const moment = moments[round % moments.length] ?? 'any'
    await callers.answered(1 + Math.floor(Math.random() * 40))
    if (moment === 'any') await new Promise((resolve) => setTimeout(resolve, Math.random() * 60))
    if (moment === 'after an answer') await callers.answered(1)
    if (moment === 'before webhooks stored') await outside.nextIngest('before')
    if (moment === 'after webhooks stored') await outside.nextIngest('after')
    await service.kill()
    killed[moment] = (killed[moment] ?? 0) + 1
    outside.resume()
    service = await startOrders(settings, outside.broker)
    if ((round + 1) % 20 === 0) print(`${round + 1} rounds, ${callers.tally().done} commands done`)
  }
  await callers.stop()
  const db = await openOrders(url.href)
  try {
    const wrong = await judge(db, callers.tally(), outside)
    print(`killed: ${JSON.stringify(killed)}`)
    print(wrong.length === 0 ? 'Nothing was lost, nothing was done twice.' : wrong.join('\n'))
    if (wrong.length > 0) process.exitCode = 1
  } finally {
    await db.close()
    await service.kill()
  }
} finally {
  await outside.stop()
  await nats.stop()
  if (values.keep) print(`kept: ${url.href}`)
  else await onServer(`drop database if exists ${name} with (force)`)
}

async function onServer(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl ?? '' })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
