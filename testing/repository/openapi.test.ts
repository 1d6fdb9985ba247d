// Both OpenAPI documents as programs read them: docs/spec/reference.md#openapi-documents
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { routes } from '#contracts/back-office/routes'
import { eventKinds } from '#contracts/objects/webhook-event'
import { backOfficeDocument } from '../../services/admin-gateway/reference/document.ts'
import { publicDocument } from '../../services/rest-gateway/reference/document.ts'

const redocly = join(import.meta.dirname, '../../node_modules/@redocly/cli/bin/cli.js')
const documents = { public: publicDocument(), 'back office': backOfficeDocument() }
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'openapi-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe.each(Object.entries(documents))('the document of the %s API', (name, document) => {
  test('has neither an error nor a warning by the recommended rules of redocly', async () => {
    const file = join(folder, `${name}.json`)
    await writeFile(file, JSON.stringify(document))
    const words = [redocly, 'lint', '--extends=recommended', '--format=json', file]
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder, env, maxBuffer: 10_000_000 })
    const { problems, totals } = JSON.parse(stdout) as { problems: unknown; totals: object }
    expect({ problems, totals }).toMatchObject({ problems: [], totals: { errors: 0, warnings: 0 } })
  }, 60_000)

  test('has no operation twice, and no component that is named by two schemas', () => {
    const names = [...JSON.stringify(document.paths).matchAll(/"operationId":"(\w+)"/g)].map((match) => match[1])
    expect(new Set(names).size).toBe(names.length)
    expect(Object.keys((document.components as { schemas: object }).schemas)).toContain('Failure')
  })
})

test('the document of the back office has every route, with a body where it takes one: each POST, PUT and PATCH does', () => {
  const paths = documents['back office'].paths as Record<string, Record<string, { requestBody?: object }>>
  const operations = routes.map(({ path, method }) => [method, paths[path]?.[method.toLowerCase()]] as const)
  const bodies = operations.map(([method, operation]) => [method, operation && 'requestBody' in operation])
  expect(bodies).toEqual(routes.map(({ method, body }) => [method, body !== null]))
  expect(routes.filter(({ method, body }) => ['POST', 'PUT', 'PATCH'].includes(method) && body === null)).toEqual([])
})

test('every operation of both documents and all twenty events have an example', () => {
  const { paths, webhooks = {} } = documents.public as Record<string, Record<string, Record<string, object>>>
  const { paths: office } = documents['back office'] as typeof documents.public & { paths: typeof paths }
  const operations = [paths ?? {}, webhooks, office ?? {}].flatMap((found) =>
    Object.values(found).flatMap((at) => Object.values(at)),
  )
  expect(Object.keys(webhooks).sort()).toEqual([...eventKinds].sort())
  const without = operations.filter((one) => !/"example":["{]/.test(JSON.stringify(one)))
  const answersNothing = (one: object) => '204' in (one as { responses: object }).responses
  expect(without.filter((one) => !answersNothing(one))).toEqual([])
})
