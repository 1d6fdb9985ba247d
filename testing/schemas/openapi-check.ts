// Compares a response with the OpenAPI document. Stricter than the document: a field that it does not describe fails as well.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Answer } from '../product/http.ts'

type Json = { [field: string]: unknown }
type Operation = { responses: Record<string, Json> }

/** Throws when an answer breaks the promise of the document for its method and path. */
export type Promised = (method: string, target: string, answer: Answer) => void

// All products of a test process answer the same document, and compiling its schemas is most of the work of a check.
const opened = new Map<string, Promised>()

export function openPromises(document: unknown): Promised {
  const text = JSON.stringify(document)
  const promised = opened.get(text) ?? promisedBy(document)
  opened.set(text, promised)
  return promised
}

function promisedBy(document: unknown): Promised {
  const closed = close(document) as Json
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(closed, 'openapi')
  const compiled = new Map<unknown, ValidateFunction>()
  const check = (schema: unknown, value: unknown, about: string) => {
    let validate = compiled.get(schema)
    if (validate === undefined) {
      validate = ajv.compile(rebased(schema) as Json)
      compiled.set(schema, validate)
    }
    if (!validate(value)) throw new Error(`${about} is not as promised: ${ajv.errorsText(validate.errors)}`)
  }
  return (method, target, answer) => {
    const about = `${method} ${target} (${answer.status})`
    const response = responseOf(closed, method, target, answer.status)
    for (const [name, reference] of Object.entries((response.headers ?? {}) as Record<string, Json>)) {
      const header = resolve(closed, reference)
      const value = answer.headers[name.toLowerCase()]
      if (value !== undefined) check(header.schema, value, `${about}, header ${name}`)
      else if (header.required === true) throw new Error(`${about} lacks the header ${name}`)
    }
    if (answer.headers['content-type'] !== 'application/json; charset=utf-8') throw new Error(`${about} is not JSON`)
    if (method === 'HEAD') return
    const content = response.content as Record<string, { schema: unknown }>
    check(content['application/json']?.schema, answer.body, about)
  }
}

function responseOf(document: Json, method: string, target: string, status: number): Json {
  const responses = operationOf(document, method, target)?.responses ?? {}
  const own = responses[String(status)]
  if (own !== undefined) return resolve(document, own)
  // What no operation describes (an unknown path or method) is a failure like the others.
  const failures = (document.components as { responses: Record<string, Json> }).responses
  const like = failures[String(status)] ?? failures['400'] ?? {}
  if (status >= 400) return resolve(document, like)
  if (target === '/openapi.json') return { ...resolve(document, like), content: { 'application/json': { schema: {} } } }
  throw new Error(`${method} ${target} promises no ${status}`)
}

function operationOf(document: Json, method: string, target: string): Operation | undefined {
  const path = target.split('?')[0] ?? ''
  const [server] = document.servers as { url: string }[]
  for (const [template, operations] of Object.entries(document.paths as Record<string, Record<string, Operation>>)) {
    const pattern = new RegExp(`^${server?.url ?? ''}${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    if (pattern.test(path)) return operations[method === 'HEAD' ? 'get' : method.toLowerCase()]
  }
  return undefined
}

function resolve(document: Json, value: Json): Json {
  if (typeof value.$ref !== 'string') return value
  const steps = value.$ref.replace('#/', '').split('/')
  return steps.reduce<unknown>((at, step) => (at as Json)[step], document) as Json
}

function close(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(close)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, close(inner)])) as Json
  if (copy.type === 'object' && 'properties' in copy && !('additionalProperties' in copy)) {
    copy.additionalProperties = false
  }
  return copy
}

function rebased(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema ?? {}).replaceAll('"#/', '"openapi#/'))
}
