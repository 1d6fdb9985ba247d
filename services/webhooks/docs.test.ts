// Tests what the guides tell receivers: the TypeScript of docs/guides/verifying-signatures.md verifies a real delivery, its shell script
// signs, and the numbers of docs/guides/sellers.md are those of the code.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { readConfig } from '#config/config'
import { duringTests } from '#testing/during-tests'
import { until } from '#testing/until'
import { openReceiver } from '#testing/servers/receiver'
import { type CreatedEndpoint, openWebhooks } from '#testing/product/webhooks-service'

const guide = (name: string) => readFileSync(join(import.meta.dirname, '../../docs/guides', name), 'utf8')
const page = guide('sellers.md')
const verification = guide('verifying-signatures.md')
const snippet = (language: string) => new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(verification)?.[1] ?? ''

let folder: string
const webhooks = duringTests(() => openWebhooks())
const receiver = duringTests(() => openReceiver())
let endpoint: CreatedEndpoint

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'storefront-docs-'))
  writeFileSync(join(folder, 'verify.ts'), snippet('ts'))
  const program = `import { verify } from './verify.ts'
    const { secret, headers, body } = JSON.parse(process.argv[2])
    try { process.stdout.write(JSON.stringify(verify(secret, headers, body))) } catch (error) { process.stdout.write(error.message) }`
  writeFileSync(join(folder, 'run.ts'), program)
  endpoint = await webhooks.createEndpoint({ url: receiver.url })
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
})

function run(secret: string, headers: object, body: string): string {
  const given = JSON.stringify({ secret, headers, body })
  return execFileSync(
    process.execPath,
    ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', join(folder, 'run.ts'), given],
    { encoding: 'utf8' },
  )
}

describe('the TypeScript of the page', () => {
  test('accepts a delivery, also while the secret is rotated, and refuses every other request', async () => {
    const rotated = (await webhooks.call('endpoints.rotate_secret', {
      id: endpoint.id,
      rotation: {},
    })) as CreatedEndpoint
    await webhooks.emit(1)
    await until(() => receiver.received.length === 1)
    const { headers = {}, body = '' } = receiver.received[0] ?? {}
    expect(run(endpoint.secret, headers, body)).toBe(body)
    expect(run(rotated.secret, headers, body)).toBe(body)
    const wrong = 'The signature is wrong.'
    expect(run(`whsec_${Buffer.alloc(32).toString('base64')}`, headers, body)).toBe(wrong)
    expect(run(endpoint.secret, headers, body.replace('"sequence":1', '"sequence":2'))).toBe(wrong)
    expect(run(endpoint.secret, { ...headers, 'webhook-id': 'another' }, body)).toBe(wrong)
    expect(run(endpoint.secret, { ...headers, 'webhook-signature': '' }, body)).toBe(wrong)
    const stale = 'The timestamp is too old or too new.'
    expect(
      run(endpoint.secret, { ...headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1_000) - 301) }, body),
    ).toBe(stale)
    expect(run(endpoint.secret, { ...headers, 'webhook-timestamp': 'now' }, body)).toBe(stale)
  })
})

test('the page shows the retry schedule', () => {
  const units: Record<string, number> = { second: 1, minute: 60, hour: 3_600 }
  const cells = [...page.matchAll(/\| (\d+) \| (none|(\d+) (second|minute|hour)s?) /g)]
  const waits = new Map(
    cells.map(([, attempt, , count, unit]) => [Number(attempt), Number(count ?? 0) * (units[unit ?? ''] ?? 0)]),
  )
  const waitsShown = [...waits].toSorted(([a], [b]) => a - b).map(([, wait]) => wait)
  expect(waitsShown).toEqual([0, ...readConfig({}, 'embedded').webhookRetryS])
})

test('the page shows the headers that are sent, and no other', async () => {
  const shown = /```http\n[^\n]*\n([^]*?)```/
    .exec(page)?.[1]
    ?.trim()
    .split('\n')
    .map((line) => line.split(':')[0])
  await until(() => receiver.received.length > 0)
  const ofHttp = ['host', 'connection', 'content-length']
  expect(Object.keys(receiver.received[0]?.headers ?? {}).filter((name) => !ofHttp.includes(name))).toEqual(shown)
})

test('the signature of the shell is the one of the official package', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const body = '{"id":"test-1","object":"event","type":"order.paid","test":true}'
  const stamp = new Date()
  const seconds = Math.floor(stamp.getTime() / 1_000)
  const lines = snippet('sh')
    .replace(/^(SECRET|URL|STAMP)=.*$/gm, '')
    .replace(/^curl [^]*$/m, 'printf %s "v1,$SIGNATURE"')
  const script = `SECRET='${secret}'\nSTAMP=${seconds}\n${lines}`
  const signed = hasOpenssl() ? execFileSync('sh', ['-c', script], { encoding: 'utf8' }) : null
  expect([new Webhook(secret).sign('test-1', stamp, body), null]).toContain(signed)
})

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false // Not installed here.
  }
}
