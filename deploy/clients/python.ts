// Writes what the Python client has from the OpenAPI documents: the types of objects, bodies and answers, and its methods, each for
// programs that wait and for asyncio. docs/spec/clients.md#python-client
import { type Document, documents, type Method, methodsOf, type Parameter, type Schema } from './reduced.ts'
import { pythonBody } from './python-bodies.ts'
import { pascalCase, pythonName, snakeCase } from './python-names.ts'
import { openTypes, type Types } from './python-types.ts'

const HEAD = `# Made of the OpenAPI documents by \`npm run generate\`; changes by hand are lost.
from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Dict, List, Literal, NotRequired, TypedDict, Union, cast, overload

from .compare import AsyncCopy, Copy, Difference, compare, compare_async
from .connection import ABSENT, Absent, AsyncConnection, AsyncRows, CallOptions, Connection, Rows, Unpack, body_of, quoted
`
const compareMethod = (head: string, copy: string, call: string) => `    ${head}(
        self,
        copy: ${copy},
        *,
        updated_after: str | datetime | None = None,
        **options: Unpack[CallOptions],
    ) -> Difference:
        """Compares a copy, the \`updatedAt\` of each object by its id, with the shop. Polls beside it do no harm.

        updated_after: Where the next poll of the copy goes on; the newest stamp of the copy by default. What has changed since is left out.
        """
        return ${call}(self.list_stamps(**options), copy, updated_after)
`
const COMPARE = compareMethod('def compare', 'Copy', 'compare')
const ASYNC_COMPARE = compareMethod('async def compare', 'AsyncCopy', 'await compare_async')
const modules = {
  storefront: {
    client: 'Storefront',
    credential: 'key',
    about: 'A client of the public API, for one shop.',
    base: '/api/v1',
  },
  'back-office': {
    client: 'BackOffice',
    credential: 'token',
    about: 'A client of the back office.',
    base: '/admin/v1',
  },
} as const

/** Each generated file with its text. */
export function pythonFiles(): { path: string; text: string }[] {
  return Object.entries(documents()).map(([name, document]) => ({
    path: `clients/python/src/storefront_client/${snakeCase(name)}.py`,
    text: moduleOf(document, modules[name as keyof typeof modules]),
  }))
}

type Module = (typeof modules)[keyof typeof modules]

function moduleOf(document: Document, module: Module): string {
  const types = openTypes(document.components.schemas)
  const events = eventsOf(document, types)
  const nouns = [...Map.groupBy(methodsOf(document), ({ noun }) => noun)]
  const kinds = ['', 'Async'] as const
  const classes = kinds.flatMap((kind) => [
    ...nouns.map(([noun, methods]) => nounClass(kind, noun, methods, types)),
    clientClass(
      kind,
      nouns.map(([noun]) => noun),
      module,
    ),
  ])
  const text = [HEAD, ...types.classes(), ...events, ...classes].join('\n\n')
  return events.length === 0 ? text : text.replaceAll('Rows[Event]', 'Rows[WebhookEvent]') // Told apart by their type.
}

// One type of event for each kind of object, told apart by \`type\`.
function eventsOf({ webhooks = {}, components }: Document, types: Types): string[] {
  const kinds = Map.groupBy(Object.entries(webhooks), ([, { post }]) => {
    const allOf = post.requestBody?.content['application/json']?.schema.allOf as [{ $ref: string }] | undefined
    return allOf?.[0].$ref.split('/').at(-1) ?? ''
  })
  for (const [name, members] of kinds) {
    const { properties, ...rest } = components.schemas[name] as { properties: Schema }
    const type = { enum: members.map(([kind]) => kind) }
    types.named(name, { ...rest, properties: { ...properties, type } })
  }
  return kinds.size === 0 ? [] : [`WebhookEvent = Union[${[...kinds.keys()].join(', ')}]\n`]
}

function clientClass(kind: string, nouns: string[], { client, credential, about, base }: Module): string {
  const made = nouns.map((noun) => `        self.${snakeCase(noun)} = ${kind}${pascalCase(noun)}Api(self)\n`)
  return `class ${kind}${client}(${kind}Connection):
    """${about}"""

    def __init__(self, base_url: str, ${credential}: str, *, timeout: float = 60.0) -> None:
        super().__init__(base_url.rstrip("/") + "${base}", ${credential}, timeout)
${made.join('')}`
}

function nounClass(kind: string, noun: string, methods: Method[], types: Types): string {
  const isComparable = methods.some(({ name }) => name === 'listStamps')
  const rendered = [
    ...methods.flatMap((method) => methodOf(kind, method, types)),
    ...(isComparable ? [kind === '' ? COMPARE : ASYNC_COMPARE] : []),
  ]
  return `class ${kind}${pascalCase(noun)}Api:
    def __init__(self, connection: ${kind}Connection) -> None:
        self._connection = connection

${rendered.join('\n')}`
}

function methodOf(kind: string, method: Method, types: Types): string[] {
  const { noun, name, verb, path, operation, isList } = method
  const hint = pascalCase(noun) + pascalCase(name)
  const inPath = operation.parameters.filter((one) => one.in === 'path')
  const query = operation.parameters.filter((one) => one.in === 'query')
  const { signatures, sent: body, about: fields } = pythonBody(operation, `${hint}Body`, types)
  const data = types.dataOf(operation, hint)
  const returned = isList ? `${kind}Rows[${data.row}]` : data.whole
  const target = `${path.includes('{') ? 'f' : ''}"${path.replaceAll(/\{(\w+)\}/g, '{quoted($1)}')}"`
  const isAwaited = kind === 'Async' && !isList
  const definition = (called: string, params: Parameter[], about: string) => {
    const heads = signatures.map(({ positional, keywords }) => {
      const named = [...keywords, ...params.map((one) => queryParam(one, hint, types))]
      const list = [
        'self',
        ...inPath.map((one) => `${pythonName(one.name)}: str`),
        ...positional,
        ...(named.length === 0 ? [] : ['*', ...named]),
        '**options: Unpack[CallOptions]',
      ]
      return `    ${isAwaited ? 'async ' : ''}def ${called}(
        ${list.join(',\n        ')},
    ) -> ${returned}:`
    })
    const sent = `{${params.map((one) => `"${one.name}": ${pythonName(one.name)}`).join(', ')}}`
    const call = isList
      ? `self._connection.${called === 'follow' ? 'follow' : 'rows'}(${target}, ${sent}, options)`
      : `self._connection.call("${verb}", ${target}, ${sent}, ${body}, options)`
    const result = isList ? call : `cast("${returned}", ${isAwaited ? 'await ' : ''}${call})`
    const overloads = heads.slice(0, -1).map((head) => `    @overload\n${head} ...\n\n`)
    return `${overloads.join('')}${heads.at(-1)}
        """${[about, ...fields].join('\n\n        ')}${fields.length === 0 ? '' : '\n        '}"""
        return ${result}
`
  }
  const main = definition(pythonName(snakeCase(name)), query, operation.summary)
  const others = query.filter((one) => one.name !== 'wait')
  if (others.length === query.length) return [main]
  return [main, definition('follow', others, 'As they happen, without an end: those behind `cursor`, or from now on.')]
}

function queryParam({ name, required, schema }: Parameter, hint: string, types: Types): string {
  const type = valuesType(schema, hint + pascalCase(name), types)
  const taken = /_(after|before)$/.test(name) ? `${type} | datetime` : type
  return `${pythonName(name)}: ${required ? taken : `${taken} | None = None`}`
}

// A filter by one value or several: one name for the values.
function valuesType(schema: Schema, hint: string, types: Types): string {
  const [{ enum: members } = { enum: undefined }] = (schema.anyOf ?? []) as { enum?: string[] }[]
  if (members === undefined) return types.typeOf(schema, hint)
  const alias = types.alias(hint, members)
  return `${alias} | Sequence[${alias}]`
}
