// A sign-in whose gateway and auth are killed between its steps and in the middle of one: it goes on at the other replicas, no code is
// accepted twice, and no refresh is lost (docs/spec/agents-access.md#tokens, docs/spec/agents-access.md#library).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { onServer, openClient } from '#testing/database'
import { type Agents, agentsEnv, codeIn, openAgents, type Tokens, type Waiting } from '#testing/product/agents'
import { forms } from '#testing/product/deployment-forms'
import type { Answer } from '#testing/product/http'
import { openMcp } from '#testing/product/mcp'
import { type Replica, startReplica } from '#testing/product/replica'
import { openStack, type Stack } from '#testing/product/stack'
import { until } from '#testing/until'

const env = { ...agentsEnv, PUBLIC_URL: 'https://shop.example', CONSOLE_URL: 'https://office.example' }
const [HERE, KILLED] = [0, 1] // The gateways: one in this process, and one in a process that is killed.

describe.each(forms.filter((form) => form === 'distributed'))('replicas that are killed, %s', (form) => {
  let stack: Stack
  let agents: Agents
  let gateway: Replica | null = null
  /** By the name of its connections in PostgreSQL. */
  const auths = new Map<string, Replica>()
  let started = 0
  let shop: string

  beforeAll(async () => {
    const opened = await openStack({ form, env })
    const mcpPorts = [...opened.mcpPorts]
    stack = { ...opened, mcpPorts, mcp: openMcp(mcpPorts) }
    agents = openAgents(stack)
    await startMissing()
    await stack.running('auth')[0]?.stop() // Those in processes of their own are enough.
  }, 120_000)
  beforeEach(async () => {
    await startMissing()
    shop = (await stack.makeShop()).id
  }, 120_000)
  afterAll(async () => {
    await stack.stop() // Before auth: the gateways hand over what they have counted.
    for (const replica of [gateway, ...auths.values()]) await replica?.end('SIGKILL')
  })

  async function startMissing(): Promise<void> {
    while (auths.size < 2) {
      started += 1
      const name = `auth-${started}`
      const databaseUrl = `${stack.databaseUrl}?application_name=${name}`
      auths.set(name, await startReplica(stack, 'auth', { ...env, DATABASE_URL: databaseUrl }))
    }
    gateway ??= await startReplica(stack, 'mcp-gateway', env)
    stack.mcpPorts[KILLED] = gateway.port
  }

  async function killGateway(): Promise<void> {
    await gateway?.end('SIGKILL')
    gateway = null
  }

  async function killAuth(name = ''): Promise<void> {
    await auths.get(name)?.end('SIGKILL')
    auths.delete(name)
  }

  const works = async (key: string) => (await stack.mcp.call('tools/list', {}, { key, gateway: HERE })).status
  // The time in which a used refresh token works again must not depend on the speed of the machine.
  const usedAgo = (seconds: number) =>
    onServer(
      stack.databaseUrl,
      `update auth.agent_tokens set used_at = now() - interval '${seconds} seconds' where kind = 'refresh' and used_at is not null`,
    )
  const succeeded = ({ status, text, body }: Answer): Tokens => {
    expect([status, text]).toEqual([200, expect.any(String)])
    return body as Tokens
  }
  const refused = { status: 400, body: { error: 'invalid_grant' } }

  /** A client with a code that the killed gateway has given out. */
  async function withCode(clientId: string) {
    const waiting = await agents.begin(clientId, {}, KILLED)
    const code = codeIn(await agents.goOn(await agents.approve(waiting.id, { shop }), waiting.cookie, KILLED))
    return { waiting, code }
  }

  async function withTokens(clientId: string): Promise<Tokens> {
    const { waiting, code } = await withCode(clientId)
    return (await agents.exchangeCode(waiting, code, {}, KILLED)).body as Tokens
  }

  test('between any two steps leave a sign-in that goes on elsewhere', async () => {
    const clientId = await agents.register()
    const asked = await agents.begin(clientId, {}, KILLED)
    const approved = await agents.begin(clientId, {}, KILLED)
    const onward = await agents.approve(approved.id, { shop })
    const coded = await withCode(clientId)
    const signedIn = await withTokens(clientId)
    const used = await withTokens(clientId)
    const renewed = succeeded(await agents.refresh(clientId, used.refresh_token, KILLED))
    await killGateway()
    await killAuth([...auths.keys()][0])

    const exchanged = async (waiting: Waiting, code: string) =>
      succeeded(await agents.exchangeCode(waiting, code, {}, HERE)).access_token
    const refreshed = async ({ refresh_token: token }: Tokens) =>
      succeeded(await agents.refresh(clientId, token, HERE)).access_token
    // NATS may still hand a command to the auth that was just killed, which is then lost: an operator decides again.
    const decided = await until(() => agents.approve(asked.id, { shop }).catch(() => null))
    const keys = [
      await exchanged(asked, codeIn(await agents.goOn(decided, asked.cookie, HERE))),
      await exchanged(approved, codeIn(await agents.goOn(onward, approved.cookie, HERE))),
      await exchanged(coded.waiting, coded.code),
      await refreshed(signedIn),
      await refreshed(renewed),
    ]
    expect(await Promise.all(keys.map(works))).toEqual([200, 200, 200, 200, 200])
    // What was used up before is known as used.
    expect((await agents.goOn(onward, approved.cookie, HERE)).status).toBe(400)
    expect(await agents.exchangeCode(coded.waiting, coded.code, {}, HERE)).toMatchObject(refused)
    await usedAgo(11)
    expect(await agents.refresh(clientId, used.refresh_token, HERE)).toMatchObject(refused)
    expect(await Promise.all(keys.map(works))).toEqual([200, 200, 401, 200, 401])
  }, 120_000)

  /** Kills the gateway or the auth that works on a request, while the first token of the answer is written. */
  async function killDuring(service: 'mcp-gateway' | 'auth', request: () => Promise<Answer>): Promise<void> {
    const database = await openClient(stack.databaseUrl)
    try {
      await database.query(`create or replace function auth.wait() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock(41); return new; end $$;
        create trigger wait before insert on auth.agent_tokens for each row execute function auth.wait()`)
      await database.query('select pg_advisory_lock(41)')
      const ended = request().then(
        ({ status }) => status,
        () => 'cut',
      )
      // Of this database alone: the server has those of other test files too.
      const waiting =
        "select application_name from pg_stat_activity where wait_event = 'advisory' and datname = current_database()"
      const name = await until(async () => {
        const [row] = (await database.query(waiting)).rows as { application_name: string }[]
        return row?.application_name
      })
      await (service === 'auth' ? killAuth(name) : killGateway())
      await database.query('select pg_advisory_unlock(41)')
      expect(service === 'auth' ? [500, 503] : ['cut']).toContain(await ended)
    } finally {
      await database.query('drop trigger wait on auth.agent_tokens')
      await database.close()
    }
  }

  describe.each(['mcp-gateway', 'auth'] as const)('%s in the middle of a step', (service) => {
    test('lets no code be exchanged again: its access ends', async () => {
      const clientId = await agents.register()
      const { waiting, code } = await withCode(clientId)
      await killDuring(service, () => agents.exchangeCode(waiting, code, {}, KILLED))
      expect(await agents.exchangeCode(waiting, code, {}, HERE)).toMatchObject(refused)
      expect((await stack.admin('GET', `/shops/${shop}/agents`)).data).toMatchObject([{ endedReason: 'reuse' }])
    }, 120_000)

    test('lets a client repeat its refresh, and not spend it again later', async () => {
      const clientId = await agents.register()
      const tokens = await withTokens(clientId)
      await killDuring(service, () => agents.refresh(clientId, tokens.refresh_token, KILLED))
      await usedAgo(0)
      const next = succeeded(await agents.refresh(clientId, tokens.refresh_token, HERE))
      expect(await works(next.access_token)).toBe(200)
      await usedAgo(11)
      expect(await agents.refresh(clientId, tokens.refresh_token, HERE)).toMatchObject(refused)
      expect(await works(next.access_token)).toBe(401)
      expect((await stack.admin('GET', `/shops/${shop}/agents`)).data).toMatchObject([{ endedReason: 'reuse' }])
    }, 120_000)
  })
})
