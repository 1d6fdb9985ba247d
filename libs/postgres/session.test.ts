// Proves that a connection which is cut while a session holds it costs that session, not the process.
// security-and-faults.md, row "Postgres restarted; connections cut".
import { execFileSync } from 'node:child_process'
import { expect, test } from '@jest/globals'

// A process of its own, because the test runner hears what nobody else hears.
const program = `
  import { connect } from './connect.ts'
  const storage = { schema: 'public', entities: [], migrations: [] }
  const options = { url: process.argv[1], role: null, connectionsMax: 2, statementTimeoutMs: 5000, onError() {} }
  const db = await connect(storage, options)
  const work = db.session(async (session) => {
    const [own] = await session.rows('select pg_backend_pid() as pid')
    await db.rows('select pg_terminate_backend($1)', [own.pid])
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      await session.rows('select 1')
    }
  })
  const outcome = await work.then(() => 'went on', () => 'session failed')
  const [row] = await db.rows('select 1 as one')
  await db.close()
  console.log(outcome, row.one)
`

test('a session whose connection is cut fails, and the process and its pool go on', () => {
  const url = process.env.TEST_DATABASE_URL ?? ''
  const cwd = import.meta.dirname
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program, url], { cwd, encoding: 'utf8' })
  expect(said.trim()).toBe('session failed 1')
})
