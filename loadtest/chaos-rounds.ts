// Owns the killing: a service on a NATS and a database of its own, callers that never give up, and a SIGKILL each round: in
// mid-command, after a commit and before the relay, and between hand-over and mark.
// `[--rounds 200] [--callers 8] [--keep] [--database <url of a server>]`
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { readConfig } from '#config/config'
import type { ServiceDefinition as Service } from '#runtime/service'
import { findNatsServer, startNatsServer } from '#runtime/nats-server'
import { connect, type Database } from '#postgres/connect'
import { migrate } from '#postgres/migrate'
import pg from 'pg'
import { type Commands, startCallers } from './chaos-callers.ts'
import { type Outside, startOutside } from './chaos-outside.ts'
import { startVictim, type Victim } from './chaos-process.ts'
import { wholeNumber } from './order-database.ts'

/** `judge` gives what is wrong, one line each, and prints its counts. */
export type Chaos = {
  service: Service
  probe: Victim['probe']
  commands: Commands
  judge(db: Database, outside: Outside): Promise<string[]>
}

// Each round ends in one of these moments; `any` is in the midst of commands, wherever the load happens to be.
const moments = ['any', 'after an answer', 'before webhooks stored', 'after webhooks stored'] as const

/** Runs all rounds and the judgement; the exit status says whether anything is wrong. */
export async function runChaos({ service: { name, storage }, probe, commands, judge }: Chaos): Promise<void> {
  const { rounds, callers: callerCount, keep, serverUrl } = readOptions()
  const program = findNatsServer('')
  if (program === null) throw new Error('Install nats-server.')
  if (storage === null) throw new Error(`The service ${name} keeps no rows.`)
  const database = `chaos_${randomUUID().replaceAll('-', '')}`
  await onServer(serverUrl, `create database ${database}`)
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  const nats = await startNatsServer(program)
  const config = readConfig(process.env, 'embedded')
  const settings = { ...config, databaseUrl: url.href, natsServers: [nats.url], opsPort: 0, secretKey: 'x'.repeat(40) }
  const outside = await startOutside({ ...settings, publicUrl: '' })
  const start = () => startVictim({ name, probe }, settings, outside.broker)
  const killed: Record<string, number> = {}
  try {
    let victim = await start()
    const callers = startCallers(outside.broker, callerCount, commands, () => victim)
    for (let round = 0; round < rounds; round += 1) {
      const moment = moments[round % moments.length] ?? 'any'
      await callers.answered(1 + Math.floor(Math.random() * 40))
      if (moment === 'any') await new Promise((resolve) => setTimeout(resolve, Math.random() * 60))
      if (moment === 'after an answer') await callers.answered(1)
      if (moment === 'before webhooks stored') await outside.nextIngest('before')
      if (moment === 'after webhooks stored') await outside.nextIngest('after')
      await victim.kill()
      killed[moment] = (killed[moment] ?? 0) + 1
      outside.resume()
      victim = await start()
      if ((round + 1) % 20 === 0) print(`${round + 1} rounds, ${callers.counts().done} commands done`)
    }
    await callers.stop()
    const { role } = await migrate(storage, url.href)
    const onError = (error: Error) => print(`a connection broke: ${error.message}`)
    const db = await connect(storage, { url: url.href, role, connectionsMax: 1, statementTimeoutMs: 0, onError })
    try {
      const counts = callers.counts()
      print(
        `${counts.done} commands done, ${counts.refused} refused, ${counts.repeated} of both sent again after a death`,
      )
      const wrong = await judge(db, outside)
      const { calls, bodies, again } = outside.received
      print(`webhooks was called ${calls} times and heard ${bodies.size} events, ${again} again`)
      print(`killed: ${JSON.stringify(killed)}`)
      print(wrong.length === 0 ? 'Nothing was lost, nothing was done twice.' : wrong.join('\n'))
      if (wrong.length > 0) process.exitCode = 1
    } finally {
      await db.close()
      await victim.kill()
    }
  } finally {
    await outside.stop()
    await nats.stop()
    if (keep) print(`kept: ${url.href}`)
    else await onServer(serverUrl, `drop database if exists ${database} with (force)`)
  }
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '200' },
      callers: { type: 'string', default: '8' },
      keep: { type: 'boolean', default: false },
      database: { type: 'string' },
    },
  })
  const serverUrl = values.database ?? readConfig(process.env, 'embedded').databaseUrl
  if (serverUrl === null) throw new Error('Set DATABASE_URL or give --database.')
  const rounds = wholeNumber('rounds', values.rounds)
  return { rounds, callers: wholeNumber('callers', values.callers), keep: values.keep, serverUrl }
}

async function onServer(serverUrl: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl })
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
