// Agents as an operator meets them, in a real browser: one asks for access, has it, and loses it (docs/spec/agents-access.md#consent).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import type { Browser } from 'playwright-core'
import {
  type Agents,
  agentsEnv,
  challengeOf,
  makeAgent,
  makeAgentRequest,
  openAgents,
  type Tokens,
} from '#testing/product/agents'
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
      await page.getByRole('heading', { name: 'An agent asks for access to a shop' }).waitFor()
      await page.getByText('Invoice helper').waitFor()
      await page.getByText('Not verified: anybody can use this name.').waitFor()
      await page.getByText(new URL(redirectUri).host).waitFor()
      await page.getByText('The access goes to a program on this computer.').waitFor()
      await page.getByLabel('Shop', { exact: true }).selectOption('Tea and Sons')
      await page.getByLabel('Access', { exact: true }).selectOption('read')
      await page.getByLabel('orders').check()
      await page.getByLabel('Access ends after').selectOption('7 days')
      await page.getByRole('button', { name: 'Give access' }).click()
      await page.getByText('Connected.').waitFor()
      const code = new URL(page.url()).searchParams.get('code') ?? ''
      const waiting = { id: '', cookie: '', verifier, clientId, redirectUri }
      const { access_token: key } = (await agents.exchangeCode(waiting, code)).body as Tokens
      expect((await stack.mcp.tool('list_orders', {}, { key })).status).toBe(200)
      await page.goto(`${origin}/s/${shop.handle}/agents`)
      await page.getByRole('link', { name: 'Invoice helper' }).click()
      await page.getByRole('button', { name: 'End the access', exact: true }).waitFor()
      await page.getByRole('button', { name: 'End the access', exact: true }).click()
      await page.getByRole('button', { name: 'End the access of Invoice helper' }).click()
      await page.getByText('Ended. Its calls are refused now.').waitFor()
      await page.getByRole('table', { name: 'Agents' }).getByText('ended').waitFor()
      await page.getByText('ended by an operator').waitFor()
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

    test('who may not decide signs in as somebody else, and is back at the request', async () => {
      const viewer = await makeOperator(stack, 'viewer', [shop.id])
      const manager = await makeOperator(stack, 'manager', [shop.id])
      const request = await makeAgentRequest(stack)
      const { page, context } = await openSignedIn(stack, browser, viewer, `/connect/${request}`)
      await page.getByText('Signed in as viewer of a test (viewer).').waitFor()
      await page.getByRole('button', { name: 'Sign in as somebody else' }).click()
      await page.getByLabel('Token').fill(await makeToken(stack, manager))
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('button', { name: 'Give access' }).waitFor()
      await page.getByText('Signed in as manager of a test (manager).').waitFor()
      await context.close()
    })

    test('an operator without a shop can only refuse', async () => {
      const manager = await makeOperator(stack, 'manager', [])
      const request = await makeAgentRequest(stack)
      const { page, context } = await openSignedIn(stack, browser, manager, `/connect/${request}`)
      await page.getByText('There is no shop that you could give access to.').waitFor()
      expect(await page.getByRole('button', { name: 'Give access' }).count()).toBe(0)
      await page.getByRole('button', { name: 'Refuse' }).waitFor()
      await context.close()
    })

    test('the name that a client gives itself is no part of a sentence of the page', async () => {
      const manager = await makeOperator(stack, 'manager', [shop.id])
      const name = `Storefront has approved this <b>request</b>.\u202e${'W'.repeat(50)}`
      const request = await makeAgentRequest(stack, name)
      const narrow = { viewport: { width: 360, height: 740 } }
      const opened = await openSignedIn(stack, browser, manager, `/connect/${request}`, narrow)
      const { page, context, origin, wrong } = opened
      await page.getByRole('button', { name: 'Give access' }).waitFor()
      expect(await page.locator('h1').allTextContents()).toEqual(['An agent asks for access to a shop'])
      expect(await page.locator('q').allTextContents()).toEqual([name])
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      expect(await page.evaluate(overflow)).toBe(0)
      const id = await makeAgent(stack, shop.id, 'W'.repeat(100))
      await page.goto(`${origin}/s/${shop.handle}/agents/${id}`)
      await page.getByRole('button', { name: 'End the access', exact: true }).click()
      await page.getByRole('button', { name: 'End the access of W' }).waitFor()
      expect(await page.evaluate(overflow)).toBe(0)
      expect(wrong).toEqual([])
      await context.close()
    })

    test('the focus follows the end of an access, and comes back from a cancelled one', async () => {
      const manager = await makeOperator(stack, 'manager', [shop.id])
      const id = await makeAgent(stack, shop.id, 'Focused agent')
      const { page, context } = await openSignedIn(stack, browser, manager, `/s/${shop.handle}/agents/${id}`)
      const focused = () => page.locator(':focus').textContent()
      const end = page.getByRole('button', { name: 'End the access', exact: true })
      await end.click()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await until(async () => (await focused()) === 'End the access')
      await end.click()
      await page.getByRole('button', { name: 'End the access of Focused agent' }).click()
      await until(async () => (await focused()) === 'Ended. Its calls are refused now.')
      await context.close()
    })

    test('a shop without agents shows the address to give them', async () => {
      const { handle } = await stack.makeShop()
      const owner = await makeOperator(stack, 'owner')
      const { page, context } = await openSignedIn(stack, browser, owner, `/s/${handle}/agents`)
      await page.getByText(`http://127.0.0.1:${stack.mcpPorts[0]}/api/mcp/connect`).waitFor()
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
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
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
