// The message of a refusal as the request log and the live stream show it: without what the caller had sent
// (docs/spec/request-log.md#request-log).
import { z } from 'zod'
import { actions } from '#contracts/actions'
import { limits } from '#contracts/limits'

// A message quotes a text only where the caller had sent it: a tool, an argument, a field given twice. Each quote matches, so that the
// time is linear in the length of the message.
const QUOTED = /"(?:[^"\\]|\\[^])*"?/g
const HIDDEN = '"…"'
// Headers that a refusal names.
const HEADERS = ['content-type', 'content-encoding', 'host', 'origin', 'idempotency-key']

/** `param` is the field at fault as the caller wrote it; it stays where it is a name of ours. Gives text that can be stored. */
export function ownWords(message: string | null, param: string | null): string | null {
  if (message === null) return null
  const words = param === null || isOurs(param) ? message : message.replaceAll(param, HIDDEN)
  return words
    .replaceAll(QUOTED, HIDDEN)
    .slice(0, limits.requestMessageMax)
    .toWellFormed()
    .replaceAll('\u0000', '\ufffd')
}

function isOurs(param: string): boolean {
  return param.split(/\.|\[\d+\]\.?/).every((name) => name === '' || ours.has(name))
}

// Names are camelCase in a body and snake_case in a query and in an argument.
const ours = new Set(
  Object.values(actions)
    .flatMap((schema) => namesIn(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })))
    .flatMap((name) => [name, name.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase())])
    .concat(HEADERS),
)

function namesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties } = schema as { properties?: object }
  return [...Object.keys(properties ?? {}), ...Object.values(schema).flatMap(namesIn)]
}
