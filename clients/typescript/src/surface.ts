// Makes the methods of a client out of the table of operations, and their types out of the table and the types of the document.
// The arguments of a method are the parts of the path in their order, then the body or the query, then the options of the call.
import { type CallOptions, type Connection, type RawBody, request } from './request.ts'

/**
 * `GET /orders/{id}`: the verb and the path of an operation, by noun and method. The verb LIST is a GET that answers in pages; the
 * operation takes a query where a `?` ends the path; a DELETE takes a body where a `!` does.
 */
export type Table = { readonly [noun: string]: { readonly [method: string]: string } }

/** The rows of a list, read page by page. */
export type List<Row> = AsyncIterable<Row> & {
  /** The same page by page, for a caller that keeps the cursor. */
  pages(): AsyncIterableIterator<Page<Row>, void, undefined>
}
export type Page<Row> = { data: Row[]; has_more: boolean; next_cursor: string | null }

/** The methods of a client: `client.orders.list({ status: 'new' })`. */
export type Surface<Paths, Operations extends Table> = {
  readonly [Noun in keyof Operations]: {
    readonly [Method in keyof Operations[Noun]]: MethodOf<
      Operations[Noun][Method],
      OperationOf<Paths, Operations[Noun][Method]>
    >
  }
}

type MethodOf<Endpoint extends string, Operation> = (
  ...args: [...PathArgs<Endpoint>, ...BodyArgs<Operation>, ...QueryArgs<Operation>, options?: CallOptions]
) => Endpoint extends `LIST ${string}` ? List<RowOf<AnswerOf<Operation>>> : Promise<DataOf<AnswerOf<Operation>>>

type OperationOf<Paths, Endpoint extends string> = Endpoint extends `${infer Verb} ${infer Path}`
  ? Member<Member<Paths, Bare<Path>>, Verb extends 'LIST' ? 'get' : Lowercase<Verb>>
  : never
type Bare<Path extends string> = Path extends `${infer Start}?` | `${infer Start}!` ? Start : Path
type Member<Type, Key> = Key extends keyof Type ? Type[Key] : never

type PathArgs<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name extends 'shop'
    ? [shop: string, ...PathArgs<Rest>]
    : [id: string, ...PathArgs<Rest>]
  : []

type BodyArgs<Operation> = Operation extends { requestBody: { content: infer Content } }
  ? [body: BodyOf<Content>]
  : Operation extends { requestBody?: infer Optional }
    ? NonNullable<Optional> extends { content: infer Content }
      ? [body?: BodyOf<Content>]
      : []
    : []
type BodyOf<Content> = Content extends { 'application/json': infer Json } ? Json : RawBody

type QueryArgs<Operation> = Operation extends { parameters: { query?: infer Query } }
  ? [NonNullable<Query>] extends [never]
    ? []
    : Operation extends { parameters: { query: object } }
      ? [query: QueryOf<NonNullable<Query>>]
      : [query?: QueryOf<NonNullable<Query>>]
  : []
/** The parameters in camelCase; an instant may be a Date. */
export type QueryOf<Query> = {
  [Name in keyof Query as CamelCase<Name & string>]: Name extends `${string}_after` | `${string}_before`
    ? Query[Name] | Date
    : Query[Name]
}
type CamelCase<Name extends string> = Name extends `${infer Start}_${infer Rest}`
  ? `${Start}${Capitalize<CamelCase<Rest>>}`
  : Name

type AnswerOf<Operation> = Operation extends { responses: infer Responses }
  ? {
      [Status in keyof Responses]: Responses[Status] extends { content: { 'application/json': infer Json } }
        ? Json
        : Status extends 204
          ? { data: null }
          : never
    }[keyof Responses]
  : never
type DataOf<Answer> = Answer extends { data: infer Data } ? Data : never
type RowOf<Answer> = DataOf<Answer> extends readonly (infer Row)[] ? Row : never

const PAGE_ROWS = 100
const PAGE_STAMPS = 5_000

/** The methods of the table over a connection. */
export function surface(
  connection: Connection,
  table: Table,
): Record<string, Record<string, (...args: unknown[]) => unknown>> {
  return mapValues(table, (methods) => mapValues(methods, (endpoint) => method(connection, endpoint)))
}

function method(connection: Connection, endpoint: string): (...args: unknown[]) => unknown {
  const [verb = '', path = ''] = endpoint.replace(/[?!]$/, '').split(' ')
  const takesBody = verb === 'POST' || verb === 'PUT' || verb === 'PATCH' || endpoint.endsWith('!')
  return (...args) => {
    const filled = path.replaceAll(/\{\w+\}/g, () => partOf(args.shift()))
    const body = takesBody ? args.shift() : undefined
    const query = endpoint.endsWith('?') ? (args.shift() as Query | undefined) : undefined
    const options = args.shift() as CallOptions | undefined
    if (verb === 'LIST') return list(connection, filled, query, options)
    const call = { method: verb, path: filled, query: searchOf(query), body }
    return request(connection, call, options).then((answer) => (answer as { data: unknown }).data)
  }
}

// An empty part, or one of dots, would lead to another path.
export function partOf(part: unknown): string {
  if (typeof part !== 'string' || /^\.{0,2}$/.test(part)) throw new TypeError('A part of the path is missing.')
  return encodeURIComponent(part)
}

export type Query = { readonly [name: string]: string | number | boolean | Date | readonly string[] | null | undefined }

/** `isEndless`: goes on after the last page that is there. */
export function list<Row>(
  connection: Connection,
  path: string,
  query: Query = {},
  options: CallOptions = {},
  isEndless = false,
): List<Row> {
  async function* pages(): AsyncGenerator<Page<Row>, void, undefined> {
    const search = searchOf({ limit: path.endsWith('/stamps') ? PAGE_STAMPS : PAGE_ROWS, ...query })
    for (;;) {
      const page = (await request(connection, { method: 'GET', path, query: search }, options)) as Page<Row>
      yield page
      if (page.next_cursor === null || !(page.has_more || isEndless)) return
      search.set('cursor', page.next_cursor)
    }
  }
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pages()) yield* data
    },
  }
}

// `updatedAfter: new Date()` becomes `updated_after=2026-…`, and several values are joined by commas.
function searchOf(query: Query = {}): URLSearchParams {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue
    const text = value instanceof Date ? value.toISOString() : String(value)
    search.set(
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      text,
    )
  }
  return search
}

function mapValues<Value, Mapped>(record: { readonly [key: string]: Value }, map: (value: Value) => Mapped) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}
