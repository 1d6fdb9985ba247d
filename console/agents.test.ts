// Agents as an operator meets them, in a real browser: one asks for access, has it, and loses it (docs/spec/agents-access.md#consent).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import type { Browser } from 'playwright-core'
import { type Agents, agentsEnv, challengeOf, makeAgentRequest, openAgents, type Tokens } from '#testing/product/agents'
import { makeOperator, makeToken, openConsole, openSignedIn } from '#testing/product/console'
import { openStack, type Stack } from '#testing/product/stack'
import { browsers, openBrowser } from '#testing/servers/browser'
import { until } from '#testing/until'

for (const browserName of browsers) {
  describe(`in ${browserName}`, () => {
    let stack: Stack
    let agents: Agents
    let browser: Browser
    let shop: { id: string; handle: string }
    beforeAll(async () => {
      const port = await freePort()
      const env = { ...agentsEnv, ADMIN_PORT: String(port), CONSOLE_URL: `http://127.0.0.1:${port}` }
      stack = await openStack({ form: 'one-process', env })
      agents = openAgents(stack)
      browser = await openBrowser()
      shop = await stack.makeShop({ name: 'Tea and Sons' })
    })
    afterAll(async () => {
      await browser.close()
      await stack.stop()
    })

    test('an operator signs in, sees who asks, gives access, and ends it', async () => {
      const clientId = await agents.register({ client_name: 'Invoice helper', redirect_uris: ['http://127.0.0.1/cb'] })
      const { url: redirectUri, close } = await openCallback()
      const verifier = 'v'.repeat(43)
      const query = agents.queryOf(clientId, { redirect_uri: redirectUri, code_challenge: challengeOf(verifier) })
      const manager = await makeOperator(stack, 'manager', [shop.id])
      const { page, context, origin } = await openConsole(stack, browser)
      await page.goto(`http://127.0.0.1:${stack.mcpPorts[0]}/oauth/authorize?${query}`)
      await page.getByLabel('Token').fill(await makeToken(stack, manager))
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Invoice helper asks for access to a shop' }).waitFor()
      await page.getByText('Not verified: anybody can use this name.').waitFor()
      await page.getByText(new URL(redirectUri).host).waitFor()
      await page.getByText('The access goes to a program on this computer.').waitFor()
      await page.getByLabel('Shop', { exact: true }).selectOption('Tea and Sons')
      await page.getByLabel('Access', { exact: true }).selectOption('read')
      await page.getByLabel('orders').check()
      await page.getByLabel('For', { exact: true }).selectOption('7 days')
      await page.getByRole('button', { name: 'Give access' }).click()
      await page.getByText('Connected.').waitFor()
      const code = new URL(page.url()).searchParams.get('code') ?? ''
      const waiting = { id: '', cookie: '', verifier, clientId, redirectUri }
      const { access_token: key } = (await agents.exchangeCode(waiting, code)).body as Tokens
      expect((await stack.mcp.tool('list_orders', {}, { key })).status).toBe(200)
      await page.goto(`${origin}/s/${shop.handle}/agents`)
      await page.getByRole('link', { name: 'Invoice helper' }).click()
      await page.getByRole('button', { name: 'End the access', exact: true }).waitFor()
      await page.getByText('The line is the budget of 240 calls a minute.').waitFor()
      await page.getByRole('button', { name: 'End the access', exact: true }).click()
      await page.getByRole('button', { name: 'End the access of Invoice helper' }).click()
      await page.getByText('Ended. Its calls are refused now.').waitFor()
      await page.getByRole('table', { name: 'Agents' }).getByText('ended here').waitFor()
      expect((await stack.mcp.tool('list_orders', {}, { key })).status).toBe(401)
      await context.close()
      await close()
    })

    test('who refuses sends the browser back to the agent, which learns it', async () => {
      const waiting = await agents.begin(await agents.register())
      const owner = await makeOperator(stack, 'owner')
      const { page, context } = await openSignedIn(stack, browser, owner, `/connect/${waiting.id}`)
      const left = page.waitForRequest((request) => request.url().includes('/oauth/authorize/'))
      await page.getByRole('button', { name: 'Refuse' }).click()
      const { headers } = await agents.goOn(new URL((await left).url()), waiting.cookie)
      expect(new URL(String(headers.location)).searchParams.get('error')).toBe('access_denied')
      await context.close()
    })

    test('who only reads is told who may decide', async () => {
      const viewer = await makeOperator(stack, 'viewer', [shop.id])
      const request = await makeAgentRequest(stack)
      const { page, context } = await openSignedIn(stack, browser, viewer, `/connect/${request}`)
      await page.getByText('This needs the role owner or manager; yours is viewer.').waitFor()
      expect(await page.getByRole('button', { name: 'Give access' }).count()).toBe(0)
      await context.close()
    })

    test('a request that is too old says so', async () => {
      const owner = await makeOperator(stack, 'owner')
      const request = await makeAgentRequest(stack, 'Late agent', 1)
      await until(async () => {
        const read = stack.admin('GET', `/authorizations/${request}`)
        return read.then(
          () => false,
          () => true,
        )
      })
      const { page, context } = await openSignedIn(stack, browser, owner, `/connect/${request}`)
      await page.getByText('This request is too old. Ask the agent to connect again.').waitFor()
      await context.close()
    })
  })
}

/** The program on the machine of the browser that waits for its code. */
async function openCallback(): Promise<{ url: string; close(): Promise<unknown> }> {
  const server = createHttpServer((_request, response) => response.end('Connected.'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/cb`,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A port that nobody uses: the address of the console must be known before the start. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
