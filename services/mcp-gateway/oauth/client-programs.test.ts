// The official clients of Python and Go with their own OAuth providers, as processes: what clients.test.ts proves of those of TypeScript.
// Both register, and both can name a document. Neither refreshes after a 401, which leads to a new sign-in, but by its own clock alone; so
// the test puts that clock forward. What each does besides: docs/spec/agents-access.md#official-clients
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import { type FilledShop, makeFilledShop, type SignedIn, useAccess } from '#testing/mcp-clients/access-story'
import { serveClientDocument } from '#testing/mcp-clients/client-document'
import { buildGo, converse, type Conversation, inGo, inPython, python } from '#testing/mcp-clients/programs'
import { type Agents, agentsEnv, openAgents, REDIRECT } from '#testing/product/agents'
import { openStack } from '#testing/product/stack'
import { describeWhere } from '#testing/where-possible'

type Json = Record<string, unknown>
type Answer = { failed: string } | { tools: string[] } | { isError: boolean; text: string; structured: unknown }

const env = { ...agentsEnv, WEBHOOK_ALLOW_PRIVATE: 'true', TRUSTED_PROXIES: '127.0.0.1' }
const stack = duringTests(() => openStack({ form: 'one-process', env }))
let shop: FilledShop
let document: Awaited<ReturnType<typeof serveClientDocument>>
let go: ReturnType<typeof buildGo> | undefined
beforeAll(async () => {
  shop = await makeFilledShop(stack)
  document = await serveClientDocument()
  if (inGo.possible) go = buildGo()
}, 300_000)
afterAll(async () => {
  await document.close()
  go?.remove()
})

const clients = [
  { name: 'Python', ...inPython, command: () => python('python/sign_in.py') },
  { name: 'Go', ...inGo, command: () => [...(go?.command ?? []), 'sign-in'] },
]
const cases = ['/api/mcp/connect', '/api/mcp'].flatMap((path) =>
  [false, true].map((isDocumented) => ({ path, isDocumented })),
)

describe.each(clients)('$name', ({ name, possible, reason, command }) => {
  describeWhere(possible, reason)(`the client ${name}`, () => {
    test.each(cases)('at $path, by a document: $isDocumented', async ({ path, isDocumented }) => {
      const program = converse(command())
      try {
        const url = `http://127.0.0.1:${stack.mcpPorts[0]}${path}`
        const client = openClient(program, openAgents(stack))
        const start = { url, redirect: REDIRECT, document: isDocumented ? document.url : null }
        expect(await client.ask(start)).toEqual({ version: '2026-07-28' })
        const registration = isDocumented ? 'document' : 'registered'
        await useAccess(stack, shop, client, {
          registration,
          refused: /access_denied/,
          usedBefore: isDocumented ? 239 : 0,
        })
        expect(client.signIns()).toBe(2)
      } finally {
        await program.close()
      }
    })
  })
})

/** The first sign-in is approved, later ones are refused. */
function openClient(program: Conversation, agents: Agents): SignedIn & { ask: Conversation['ask']; signIns(): number } {
  let signIns = 0
  let token: string | null = null
  async function ask(given: Json): Promise<Json> {
    let answer = await program.ask(given)
    while (typeof answer.open === 'string') {
      signIns += 1
      const to = await agents.consent(new URL(answer.open), signIns > 1 ? null : { shop: shop.id, access: 'write' })
      answer = await program.ask(Object.fromEntries(to.searchParams))
    }
    if (typeof answer.token === 'string') token = answer.token
    return answer
  }
  return {
    ask,
    signIns: () => signIns,
    token: () => token,
    async list() {
      const answer = (await ask({ do: 'list' })) as Answer
      return 'tools' in answer ? answer.tools : [JSON.stringify(answer)]
    },
    async call(name, given) {
      const answer = (await ask({ do: 'call', name, arguments: given })) as Answer
      if ('structured' in answer && !answer.isError) return { structured: answer.structured }
      return { failed: 'failed' in answer ? answer.failed : JSON.stringify(answer) }
    },
    async passAnHour() {
      await ask({ do: 'pass an hour' })
    },
  }
}
