// Background imports whose process ends (docs/spec/internals.md#background-imports): another replica continues them, and their end is that of
// an undisturbed run.
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterEach, expect, test } from '@jest/globals'
import type { ImportRecord } from '#contracts/objects/import-record'
import { findNatsServer } from '#local-servers/nats-server'
import { adminRequest, importFile, sendFile, wholeList } from '#testing/admin-requests'
import { openClient } from '#testing/database'
import { duringTests } from '#testing/during-tests'
import { type Replica, startReplica } from '#testing/product/replica'
import { openStack, type Stack } from '#testing/product/stack'
import { until } from '#testing/until'
import { describeWhere } from '#testing/where-possible'

const hasBus = findNatsServer(process.env.PATH ?? '') !== null || Boolean(process.env.NATS_URL)

// Rows of every outcome: problems of the reader, and one that the catalogue refuses.
const file = `Handle,Title,Variant Price,Image Src\n${Array.from({ length: 2_000 }, (_, n) => {
  const price = n % 50 === 0 ? 'no price' : '1.00'
  return `p-${n},Product ${n},${price},\n`
}).join('')}p-1,,,https://example.com/p.png\n`

describeWhere(hasBus, 'A process of its own needs nats-server on the PATH.')('a background import', () => {
  const stack = duringTests(() => openStack({ form: 'distributed' }))
  const replicas: Replica[] = []
  afterEach(async () => {
    for (const replica of replicas.splice(0)) await replica.end('SIGKILL')
  })

  /** Ends a replica in the middle of an import that it runs, and returns the ended import with an undisturbed one of the same file. */
  async function runWith(
    signal: 'SIGKILL' | 'SIGTERM',
  ): Promise<{ ended: ImportRecord; calm: ImportRecord; fence: number }> {
    const replica = await startReplica(stack, 'admin-gateway')
    replicas.push(replica)
    const { pid, port } = replica
    const database = await openClient(stack.databaseUrl)
    try {
      for (;;) {
        const shop = (await stack.makeShop()).handle
        await database.query(`create or replace function catalog.wait() returns trigger language plpgsql as
          $$ begin if new.title = 'Product 1501' then perform pg_advisory_xact_lock(41); end if; return new; end $$;
          create or replace trigger wait before insert on catalog.products for each row execute function catalog.wait()`)
        await database.query('select pg_advisory_lock(41)')
        const { body } = await sendFile({ adminPorts: [port] }, shop, file, '?background=true')
        const { id } = (body as { data: ImportRecord }).data
        const read = async () => (await stack.admin('GET', `/shops/${shop}/imports/${id}`)).data as ImportRecord
        const halfway = await until(async () => {
          const found = await read()
          return found.processed >= 1_000 ? found : null
        })
        const isOfReplica = readdirSync(tmpdir()).some((name) => name.startsWith(`storefront-import-${pid}-`))
        // What waits goes on when the process takes no more calls, and so does not end its imports any more.
        const goOn = async () => {
          await until(() => isClosed(port))
          await database.query('select pg_advisory_unlock(41)')
        }
        if (isOfReplica) await replica.end(signal, goOn)
        else await database.query('select pg_advisory_unlock(41)')
        const seen: number[] = [halfway.processed]
        const ended = await until(async () => {
          const found = await read()
          seen.push(found.processed)
          return found.status === 'completed' ? found : null
        })
        expect(seen).toEqual(seen.toSorted((a, b) => a - b)) // What is shown never falls.
        if (!isOfReplica) continue // The other replica was faster.
        const [row] = (await database.query(`select fence from auth.imports where id = '${id}'`)).rows as {
          fence: number
        }[]
        await expectSameProblems(stack, shop, id)
        await database.query('drop trigger wait on catalog.products')
        const calm = await importFile(stack, (await stack.makeShop()).handle, file)
        expect(await wholeList(stack, shop, 'products')).toHaveLength(calm.created)
        return { ended, calm, fence: row?.fence ?? 0 }
      }
    } finally {
      await database.close()
    }
  }

  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'whose process gets %s is continued by another one, and ends as if nothing had happened',
    async (signal) => {
      const { ended, calm, fence } = await runWith(signal)
      const { id: _id, createdAt: _a, updatedAt: _b, finishedAt: _c, recordsPerSecond: _d, ...report } = calm
      expect(ended).toMatchObject(report)
      expect(ended).toMatchObject({ processed: 2_000, total: 2_000, created: 1_960, failed: 40, ignoredRecords: 1 })
      expect(fence).toBe(2)
    },
    120_000,
  )
})

function isClosed(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => false,
    () => true,
  )
}

async function expectSameProblems(stack: Stack, shop: string, id: string): Promise<void> {
  const { text } = await adminRequest(stack, 'GET', `/shops/${shop}/imports/${id}/errors`)
  const objects = text
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(',')[1])
  expect(objects).toEqual(Array.from({ length: 40 }, (_, n) => `p-${50 * n}`))
}
