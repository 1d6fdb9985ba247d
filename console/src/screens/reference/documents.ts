// What the reference is made of: the file that `npm run generate` writes, and the OpenAPI document of the back office.
import { StorefrontError } from '../../../../clients/typescript/src/client.ts'
import { fetchOffice } from '../../frame/session.ts'
import { words } from '../../words/en.ts'
import type { Schema } from './fields/schema.ts'

export type Parameter = { name: string; in: string; required: boolean; description?: string; schema: Schema }
type Content = { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }
type Answer = { description: string; content?: Record<string, Content> }
export type Operation = {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  parameters: Parameter[]
  requestBody?: { description: string; required: boolean; content: Record<string, Content> }
  responses: Record<string, Answer | { $ref: string }>
}
export type ApiDocument = {
  info: { description: string }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks?: Record<string, { post: Operation }>
  components: { schemas: Record<string, Schema>; responses: Record<string, Answer> }
}
export type Tool = {
  name: string
  title: string
  description: string
  inputSchema: Schema
  annotations: Record<string, boolean>
  /** The operation of the public API that answers the same. */
  operation: string
}
/** What the console is built with. */
export type Bundle = {
  document: ApiDocument
  events: Record<string, { when: string; most: string }>
  tools: Tool[]
  /** By method and path of the back office. */
  commands: Record<string, string>
}

export async function loadBundle(): Promise<Bundle> {
  const file: { default: unknown } = await import('../../generated/reference.json', { with: { type: 'json' } })
  return file.default as Bundle
}

export async function loadOffice(signal: AbortSignal): Promise<ApiDocument> {
  const response = await fetchOffice('/admin/v1/openapi.json', { signal })
  if (!response.ok) {
    const facts = { status: response.status, requestId: response.headers.get('x-request-id') }
    throw new StorefrontError('unexpected_answer', words.reference.noOffice(response.status), facts)
  }
  return (await response.json()) as ApiDocument
}

/** The example and the schema of the first content of a body or an answer. */
export function contentOf(content: Record<string, Content> | undefined): Content | undefined {
  return Object.values(content ?? {})[0]
}

/** The answers of an operation by status, those that are named once in the document too. */
export function answersOf({ responses }: Operation, { components }: ApiDocument): [status: string, answer: Answer][] {
  return Object.entries(responses).flatMap(([status, answer]): [string, Answer][] => {
    if (!('$ref' in answer)) return [[status, answer]]
    const named = components.responses[answer.$ref.split('/').at(-1) ?? '']
    return named === undefined ? [] : [[status, named]]
  })
}
