// The arguments of a tool: their schema, and how the arguments of a call become the params of the tool's action
// (docs/spec/mcp.md#forgiven-arguments). The action validates its params, once. Refused here is only what the action does not see (unknown
// names, wrong `fields`, broken characters, which the bus replaces) or what REST takes: a malformed id, `consented` and `email` filters.
import { z } from 'zod'
import { actions } from '#contracts/actions'
import { isUuid } from '#contracts/actions/params'
import { refuse } from '#contracts/errors'
import { quoted } from '#contracts/input/text'
import { refuseUnstorable } from '#http/body'
import type { Tool } from './tools.ts'

type Given = Record<string, unknown>
/** `fields`: the names of the fields that a row is asked for; null for all. */
export type ReadArguments = { params: Given; fields: readonly string[] | null }

/** The schema of the arguments that the tool takes. */
export function argumentSchema({ action, takes, row }: Tool): z.ZodObject {
  const known: Record<string, z.ZodType> = {
    ...actions[action].shape,
    consented: z.boolean().optional(), // REST takes any text.
    fields: z.array(z.enum(Object.keys(row?.shape ?? {}))).optional(),
  }
  const missing = (name: string): never => {
    throw new Error(`${action} has no param ${name}.`)
  }
  return z.object(Object.fromEntries(takes.map((name) => [name, known[name] ?? missing(name)])))
}

/** Refuses invalid_request naming the argument, and not_found for an id that no object can have. */
export function readArguments(tool: Tool, given: Given): ReadArguments {
  refuseUnknown(tool, given)
  refuseUnstorable(given, '')
  const present = Object.entries(given).filter(([, value]) => value !== null)
  const { fields, consented, ...params } = Object.fromEntries(
    present.map(([name, value]) => [name, forgiven(name, value)]),
  )
  if (params.id !== undefined && !(typeof params.id === 'string' && isUuid(params.id))) {
    throw refuse('not_found', 'id must be a UUID; order numbers, names and emails are no ids.', { field: 'id' })
  }
  // The service decides which emails it stores.
  if (!tool.writes && typeof params.email === 'string' && !EMAIL.test(params.email)) {
    throw invalid('email', 'must be an email address, for example ada@example.com')
  }
  if (consented !== undefined) params.consented = consentedParam(consented)
  return { params, fields: fieldNames(tool, fields) }
}

const EMAIL = /^[^\s@]+@[^\s@]+$/
const TRIMMED = ['id', 'client_id', 'email', 'cursor']

function forgiven(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (TRIMMED.includes(name)) return value.trim()
  return name === 'limit' && /^\d+$/.test(value) ? Math.min(Number(value), Number.MAX_SAFE_INTEGER) : value
}

function consentedParam(consented: unknown): string {
  if (typeof consented !== 'boolean') throw invalid('consented', 'must be true or false')
  return String(consented)
}

function fieldNames({ row }: Tool, fields: unknown): readonly string[] | null {
  if (fields === undefined) return null
  const known = Object.keys(row?.shape ?? {})
  if (!Array.isArray(fields)) throw invalid('fields', `must be a list of names of these: ${known.join(', ')}`)
  const unknown: unknown[] = fields.filter((name) => !known.includes(name))
  if (unknown.length === 0) return fields
  const [wrong] = unknown
  const name = quoted(typeof wrong === 'string' ? wrong : JSON.stringify(wrong))
  throw invalid('fields', `has ${name}, which is not the name of a field. It takes ${known.join(', ')}`)
}

function refuseUnknown({ name, takes }: Tool, given: Given): void {
  const unknown = Object.keys(given).find((one) => !takes.includes(one))
  if (unknown === undefined) return
  const known = takes.length === 0 ? 'It takes no arguments.' : `It takes ${takes.join(', ')}.`
  const message = `${quoted(unknown)} is not an argument of ${name}. ${known}`
  throw refuse('invalid_request', message, { field: unknown })
}

function invalid(field: string, words: string): Error {
  return refuse('invalid_request', `${field} ${words}.`, { field })
}
