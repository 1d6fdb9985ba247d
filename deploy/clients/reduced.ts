// What a client is made of: the operations of an OpenAPI document with their parameters, bodies and answers, without examples, headers
// and refusals. docs/spec/clients.md
import { actions } from '#contracts/actions'
import { knownValues } from '#contracts/actions/params'
import { backOfficeDocument } from '../../services/admin-gateway/reference/document.ts'
import { publicDocument } from '../../services/rest-gateway/reference/document.ts'

export type Schema = { [keyword: string]: unknown }
export type Parameter = { name: string; in: string; required: boolean; description?: string; schema: Schema }
type Content = Record<string, { schema: Schema }>
export type Operation = {
  operationId: string
  summary: string
  tags: string[]
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, { description: string; content?: Content }>
}
export type Document = {
  openapi: string
  info: unknown
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
  webhooks?: Record<string, { post: Operation }>
}

/** Both documents, by the name of the file of types. */
export function documents(): Record<'storefront' | 'back-office', Document> {
  return { storefront: reduced(publicDocument()), 'back-office': reduced(backOfficeDocument()) }
}

function reduced(full: object): Document {
  const { paths, webhooks = {}, components, info } = full as Document
  const operations = <At extends Record<string, Operation>>(at: Record<string, At>) =>
    mapValues(at, (one) => mapValues(one, reducedOperation))
  return {
    openapi: '3.1.1',
    info,
    paths: operations(paths),
    webhooks: operations(webhooks) as Required<Document>['webhooks'],
    components: { schemas: components.schemas },
  }
}

function reducedOperation({ operationId, summary, tags, parameters, requestBody, responses }: Operation): Operation {
  const succeeded = Object.entries(responses).filter(([status]) => /^2\d\d$/.test(status))
  return {
    operationId,
    summary,
    tags,
    parameters: parameters.filter((one) => one.in !== 'header').map(typed),
    ...(requestBody === undefined
      ? {}
      : { requestBody: { required: requestBody.required, content: withoutExamples(requestBody.content) } }),
    responses: Object.fromEntries(
      succeeded.map(([status, { description, content }]) => [
        status,
        { description, content: withoutExamples(content) },
      ]),
    ),
  }
}

function withoutExamples(content: Content = {}): Content {
  return mapValues(content, ({ schema }) => ({ schema: withoutRules(schema) }))
}

// Which fields go together is a rule that the product checks; the type of a body has its fields only.
function withoutRules(schema: Schema): Schema {
  if (schema.properties === undefined) return schema
  const { anyOf: _anyOf, oneOf: _oneOf, ...own } = schema
  return own
}

// A filter by one value of an enumeration, or by several.
function typed(parameter: Parameter): Parameter {
  const values = parameter.schema[knownValues]
  if (values === undefined) return parameter
  const one = { type: 'string', enum: values }
  return { ...parameter, schema: { anyOf: [one, { type: 'array', items: one }] } }
}

export type Method = { noun: string; name: string; verb: string; path: string; operation: Operation; isList: boolean }

/** The methods of a client, in the order of the document. */
export function methodsOf({ paths }: Document): Method[] {
  return Object.entries(paths).flatMap(([path, at]) =>
    Object.entries(at)
      .filter(([, { responses }]) => '204' in responses || Object.values(responses).some(hasJson))
      .map(([verb, operation]) => ({
        ...named(operation),
        verb: verb.toUpperCase(),
        path,
        operation,
        isList: operation.parameters.some(({ name }) => name === 'cursor'),
      })),
  )
}

function hasJson({ content }: Operation['responses'][string]): boolean {
  return content?.['application/json'] !== undefined
}

// The operations of the back office have the names of their actions: `operator_tokens.list` is `operatorTokensList`. In the public
// document `listOrders` with the tag Orders is `list` of `orders`, and `listOrderStamps` is `listStamps`.
const actionOf = new Map(Object.keys(actions).map((action) => [camelCase(action.replace('.', '_')), action]))

function named({ operationId, tags: [tag = ''] }: Operation): { noun: string; name: string } {
  const [noun, name] = actionOf.get(operationId)?.split('.') ?? []
  if (noun !== undefined && name !== undefined) return { noun: camelCase(noun), name: camelCase(name) }
  const ofTag = operationId.replace(new RegExp(`(?i:${tag.replace(/s$/, '')})s?`), '')
  return { noun: tag.toLowerCase(), name: ofTag.charAt(0).toLowerCase() + ofTag.slice(1) }
}

function camelCase(words: string): string {
  return words.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase())
}

export function mapValues<Value, Mapped>(record: Record<string, Value>, map: (value: Value) => Mapped) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}
