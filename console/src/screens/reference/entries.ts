// What the reference lists: operations of both APIs, events and tools, each with the name that stands in its address.
import { words } from '../../words/en.ts'
import type { ApiDocument, Bundle, Operation, Tool } from './documents.ts'

/** In the order of the list. */
export const groups = ['api', 'events', 'tools', 'office'] as const
export type Group = (typeof groups)[number]
export type OperationEntry = Named & {
  kind: 'operation'
  group: 'api' | 'office'
  method: string
  path: string
  operation: Operation
  document: ApiDocument
}
export type EventEntry = Named & {
  kind: 'event'
  when: string
  most: string
  operation: Operation
  document: ApiDocument
}
export type ToolEntry = Named & { kind: 'tool'; tool: Tool }
type Named = {
  /** Of the document: `listOrders`, `ordersShip`, `order.shipped`, `list_orders`. */
  id: string
  group: Group
  /** What stands above it in the list. */
  section: string
  title: string
  /** What a developer calls it. */
  line: string
}
export type Entry = OperationEntry | EventEntry | ToolEntry

export function entriesOf(bundle: Bundle | null, office: ApiDocument | null): Entry[] {
  if (bundle === null) return []
  const { document, events, tools } = bundle
  return [
    ...operationsOf(document, 'api'),
    ...Object.entries(document.webhooks ?? {}).map(([kind, { post }]): EventEntry => {
      const said = events[kind] ?? { when: '', most: '' }
      const section = words.reference.eventsOf[kind.split('.')[0] as keyof typeof words.reference.eventsOf]
      return {
        kind: 'event',
        id: kind,
        group: 'events',
        section,
        title: kind,
        line: kind,
        ...said,
        operation: post,
        document,
      }
    }),
    ...tools.map((tool): ToolEntry => {
      const section = tool.annotations.readOnlyHint === true ? words.reference.readTools : words.reference.writeTools
      return { kind: 'tool', id: tool.name, group: 'tools', section, title: tool.title, line: tool.name, tool }
    }),
    ...(office === null ? [] : operationsOf(office, 'office')),
  ]
}

function operationsOf(document: ApiDocument, group: 'api' | 'office'): OperationEntry[] {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, operation]): OperationEntry => {
      const method = verb.toUpperCase()
      const named = { id: operation.operationId, section: operation.tags[0] ?? '', title: operation.summary }
      return { kind: 'operation', group, ...named, method, path, line: `${method} ${path}`, operation, document }
    }),
  )
  const order = document.tags.map(({ name }) => name)
  return all.sort((a, b) => order.indexOf(a.section) - order.indexOf(b.section))
}

/** Those that have every word of the filter in their name, path, title or words. */
export function filtered(entries: readonly Entry[], filter: string, group: string | null): Entry[] {
  const sought = filter.toLowerCase().split(/\s+/).filter(Boolean)
  return entries.filter((entry) => {
    if (group !== null && entry.group !== group) return false
    const text = searchedText(entry).toLowerCase()
    return sought.every((word) => text.includes(word))
  })
}

function searchedText(entry: Entry): string {
  const { id, line, title, section } = entry
  return `${id} ${line} ${title} ${section} ${saidOf(entry)}`
}

function saidOf(entry: Entry): string {
  if (entry.kind === 'operation') return aboutOf(entry)
  return entry.kind === 'event' ? entry.when : entry.tool.description
}

/** What an operation does, in a sentence. */
export function aboutOf({ operation }: OperationEntry): string {
  return operation.description ?? operation.summary
}
