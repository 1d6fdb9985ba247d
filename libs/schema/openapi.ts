// OpenAPI 3.1 documents, rendered from the schemas that validate, so that the two agree.
// docs/spec/reference.md#openapi-documents
// Published objects allow further fields: a client must ignore fields it does not know. docs/spec/rest-api.md#compatible-changes
import { z } from 'zod'
import { limits } from '#contracts/limits'
import { failure } from '#contracts/objects/scalar'
import { SERVICE_VERSION } from '#contracts/versions'
import { namesIn } from './path.ts'
import { headerComponents, refsTo, type Responses } from './openapi-responses.ts'

export type Json = Record<string, unknown>

export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** In the form of the specification: `/orders/{id}`. */
  path: string
  id: string
  about: string
  /** A few words for lists of operations; without them `about` is used. */
  title?: string
  tag: string
  /** The params of the path and of the query. */
  params: z.ZodType
  body: { description: string; required: boolean; schema: z.ZodType | null; types?: readonly string[] } | null
  /** The schema of the answer. */
  answers: z.ZodType
  /** Of the answer, where it is not JSON. */
  contentType?: string
  /** Statuses of a request that is carried out. */
  statuses: readonly number[]
  /** The answer of a dry run, with status 200. */
  preview?: { answers: z.ZodType; about: string } | null
  /** Statuses of refusals; each is a member of `Api.failures`. */
  failures: readonly number[]
  /** Headers of the request, as parameter objects. */
  headers?: readonly Json[]
  /** No credentials are needed. */
  open?: boolean
  /** An answer that the product gave. */
  example?: unknown
}

export type Api = {
  title: string
  description: string
  basePath: string
  /** Descriptions by tag, in their order. */
  tags: Record<string, string>
  securitySchemes: Record<string, Json>
  /** Names of the headers of every answer, and those of an answer to a known caller. */
  headers: readonly string[]
  failures: Responses
  webhooks?: (publish: Publish) => Json
}

/** The header of a write that may be repeated. */
export const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: `Within ${limits.idempotencyHours} hours the same key with the same request gets the first answer again; with another path or body it is 409.`,
  schema: { type: 'string', minLength: 1, maxLength: limits.idempotencyKeyLengthMax, pattern: '^[ -~]+$' },
}

/** Makes components of named schemas; returns the rest, with references to them. */
export type Publish = (schema: z.ZodType) => Json

export function openApiDocument(api: Api, operations: readonly Operation[]): Json {
  const schemas: Json = {}
  const publish: Publish = (schema) => published(schema, schemas)
  publish(failure)
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    const method = operation.method.toLowerCase()
    paths[operation.path] = { ...paths[operation.path], [method]: rendered(operation, api, publish) }
  }
  const webhooks = api.webhooks?.(publish)
  return {
    openapi: '3.1.1',
    info: {
      title: api.title,
      version: SERVICE_VERSION,
      description: api.description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: api.basePath }],
    security: Object.keys(api.securitySchemes).map((name) => ({ [name]: [] })),
    tags: Object.entries(api.tags).map(([name, description]) => ({ name, description })),
    paths,
    ...(webhooks === undefined ? {} : { webhooks }),
    components: {
      schemas,
      headers: headersUsed(api),
      responses: api.failures,
      securitySchemes: api.securitySchemes,
    },
  }
}

function headersUsed({ headers, failures }: Api): Json {
  const text = JSON.stringify(failures)
  const isUsed = (name: string) => headers.includes(name) || text.includes(`/headers/${name}"`)
  return Object.fromEntries(Object.entries(headerComponents).filter(([name]) => isUsed(name)))
}

function rendered(operation: Operation, api: Api, publish: Publish): Json {
  const { id, about, title, tag, body, answers, statuses, failures, headers = [], open = false, example } = operation
  const { contentType = 'application/json', preview = null } = operation
  const content = { schema: publish(answers), ...(example === undefined ? {} : { example }) }
  const answered = { description: about, headers: refsTo(...api.headers), content: { [contentType]: content } }
  const withoutBody = { description: about, headers: refsTo(...api.headers) }
  return {
    operationId: id,
    ...(title === undefined ? { summary: about } : { summary: title, description: about }),
    tags: [tag],
    ...(open ? { security: [] } : {}),
    parameters: [...parametersOf(operation), ...headers],
    ...(body === null ? {} : { requestBody: bodyOf(body) }),
    responses: {
      ...(preview === null ? {} : { 200: { ...answered, ...previewed(preview, publish) } }),
      ...Object.fromEntries(statuses.map((status) => [status, status === 204 ? withoutBody : answered])),
      ...Object.fromEntries(failures.map((status) => [status, { $ref: `#/components/responses/${status}` }])),
    },
  }
}

function previewed({ answers, about }: NonNullable<Operation['preview']>, publish: Publish): Json {
  return { description: about, content: { 'application/json': { schema: publish(answers) } } }
}

function bodyOf({ description, required, schema, types = ['application/json'] }: NonNullable<Operation['body']>): Json {
  const { $schema: _dialect, ...form } =
    schema === null ? {} : (relinked(z.toJSONSchema(schema, { io: 'input', override: tidyInteger })) as Json)
  return { description, required, content: Object.fromEntries(types.map((type) => [type, { schema: form }])) }
}

function parametersOf({ path, params }: Operation): Json[] {
  const { properties = {}, required = [] } = z.toJSONSchema(params, { io: 'input', override: tidyInteger })
  const named = namesIn(path)
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as Json
    const inPath = named.includes(name)
    return {
      name,
      in: inPath ? 'path' : 'query',
      required: inPath || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema,
    }
  })
}

function published(schema: z.ZodType, schemas: Json): Json {
  const override = (context: OverrideContext) => {
    if (context.jsonSchema.additionalProperties === false) delete context.jsonSchema.additionalProperties
    tidyInteger(context)
  }
  const { $schema: _dialect, $defs, ...own } = relinked(z.toJSONSchema(schema, { override })) as Json
  Object.assign(schemas, $defs)
  const { id, ...rest } = own
  if (typeof id !== 'string') return own
  schemas[id] = rest
  return { $ref: `#/components/schemas/${id}` }
}

type OverrideContext = { jsonSchema: z.core.JSONSchema.BaseSchema }

// Every whole number of JSON is within these bounds; naming them hides the bounds that matter.
function tidyInteger({ jsonSchema }: OverrideContext): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
}

function relinked(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/'))
}
