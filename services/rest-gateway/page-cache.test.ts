// The page cache under concurrent writers and readers, over two gateways and two replicas: no page is older than a write that was
// answered before the page was requested (docs/spec/internals.md#page-cache).
import { describe, expect, test } from '@jest/globals'
import { forms } from '#testing/product/deployment-forms'
import { openStack, type Stack } from '#testing/product/stack'

const WRITES = 60
const WRITERS = 3
const READERS = 6
const queries = ['', '?limit=100', '?tag=raced']

type Contact = { id: string; tags: string[] }
const countIn = (tags: string[]) => Number(tags.find((tag) => tag.startsWith('at:'))?.slice(3))

async function hits(stack: Stack): Promise<number> {
  const texts = await Promise.all(
    stack
      .running('rest-gateway')
      .map(async ({ opsPort }) => (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text()),
  )
  const counts = texts.map((text) => /storefront_page_cache_total\{outcome="current"\} (\d+)/.exec(text)?.[1] ?? 0)
  return counts.reduce<number>((sum, count) => sum + Number(count), 0)
}

describe.each(forms)('%s', (form) => {
  test('a page is never older than a write that was answered before its request', async () => {
    const env = { REQUESTS_PER_MINUTE: '1000000' }
    const stack = await openStack({ form, env, replicas: { 'rest-gateway': 2, contacts: 2 } })
    try {
      const shop = await stack.makeShop()
      const { secret: key } = await stack.makeKey(shop.id, 'write')
      const made = Array.from({ length: WRITERS }, (_none, writer) =>
        stack.makeContact(shop.id, { email: `writer-${writer}@example.com`, tags: ['raced', 'at:0'] }),
      )
      const ids = (await Promise.all(made)).map(({ id }) => id)
      const written = ids.map(() => 0)
      const write = async (writer: number, count: number) => {
        const json = { add: [`at:${count}`], remove: [`at:${count - 1}`] }
        const target = `/api/v1/contacts/${ids[writer]}/tags`
        expect((await stack.post(target, { key, json, gateway: count % stack.ports.length })).status).toBe(200)
        written[writer] = count
      }

      let reads = 0
      let writing = WRITERS
      const read = async (turn: number) => {
        const atLeast = [...written]
        const query = queries[turn % queries.length] ?? ''
        const { status, body } = await stack.get(`/api/v1/contacts${query}`, {
          key,
          gateway: turn % stack.ports.length,
        })
        expect(status).toBe(200)
        const counts = new Map((body as { data: Contact[] }).data.map(({ id, tags }) => [id, countIn(tags)]))
        for (const [writer, id] of ids.entries()) expect(counts.get(id)).toBeGreaterThanOrEqual(atLeast[writer] ?? 0)
        reads += 1
      }
      const writers = written.map(async (_none, writer) => {
        for (let count = 1; count <= WRITES; count += 1) await write(writer, count)
        writing -= 1
      })
      const readers = Array.from({ length: READERS }, async (_none, reader) => {
        for (let turn = reader; writing > 0; turn += 1) await read(turn)
      })
      await Promise.all([...writers, ...readers])
      const whileWriting = { reads, hits: await hits(stack) }
      for (let turn = 0; turn < 40; turn += 1) await read(turn)
      expect(whileWriting.reads).toBeGreaterThan(WRITES)
      expect((await hits(stack)) - whileWriting.hits).toBeGreaterThanOrEqual(20)
    } finally {
      await stack.stop()
    }
  }, 120_000)
})
