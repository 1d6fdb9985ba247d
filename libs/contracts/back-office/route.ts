// A row of the table of the back office's routes, and what follows from it. docs/spec/back-office.md#conventions
import { z } from 'zod'
import { type ActionName, actions } from '../actions.ts'
import { isBodyParam } from '../actions/params.ts'
import { page, single } from '../objects/scalar.ts'

export type Kind = 'read' | 'take' | 'create' | 'renew' | 'move' | 'send' | 'queue' | 'change' | 'delete'
export type Route<Action extends ActionName = ActionName> = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/shops/{shop}/` the service gets the shop as its caller. */
  path: string
  action: Action
  /** `take` reads what leaves an audit entry; `send` waits for a shop's own receiver; `queue` starts work that goes on after the answer. */
  kind: Kind
  /** The param of the action that takes the JSON body; `file`: the body is the file of an import; null: there is none. */
  body: string | null
  /** The statuses of a request that is carried out. Where there are two, the action answers `{ created, body }`. */
  statuses: readonly [number, ...number[]]
  /** The schema of the answer. */
  answers: z.ZodType
  /** The answer of a dry run, which is 200 and changes nothing; null where there is none. */
  preview: { answers: z.ZodType; about: string } | null
  /** One sentence for the OpenAPI document and the help of the command line. */
  about: string
  /** Whether the answer shows a secret, which it does once only. */
  showsSecret: boolean
}
type Row<Action extends ActionName> = [path: string, action: Action, answers: z.ZodType, about: string]
type Options = Partial<Pick<Route, 'body' | 'statuses' | 'showsSecret' | 'preview'>>

/** The answer with one object. */
export const one = single
/** A page of objects. */
export const many = page

export function get<Action extends ActionName>(...row: Row<Action>): Route<Action> {
  return routeOf('GET', 'read', row)
}

/** Reads everything that is held about one person: the answer is streamed and leaves an audit entry. */
export function take<Action extends ActionName>(...row: Row<Action>): Route<Action> {
  return routeOf('GET', 'take', row)
}

export function create<Action extends ActionName>(...row: [...Row<Action>, options?: Options]): Route<Action> {
  return routeOf('POST', 'create', row, { statuses: [201] })
}

/** Makes a secret that takes the place of another. */
export function renew<Action extends ActionName>(...row: [...Row<Action>, options?: Options]): Route<Action> {
  return routeOf('POST', 'renew', row, { statuses: [201] })
}

export function move<Action extends ActionName>(...row: [...Row<Action>, options?: Options]): Route<Action> {
  return routeOf('POST', 'move', row)
}

export function send<Action extends ActionName>(...row: Row<Action>): Route<Action> {
  return routeOf('POST', 'send', row)
}

export function queue<Action extends ActionName>(...row: [...Row<Action>, options?: Options]): Route<Action> {
  return routeOf('POST', 'queue', row, { statuses: [202] })
}

export function change<Action extends ActionName>(...row: Row<Action>): Route<Action> {
  return routeOf('PATCH', 'change', row)
}

/** Stores an object under the name in the path, in the place of the one that has it. */
export function put<Action extends ActionName>(...row: Row<Action>): Route<Action> {
  return routeOf('PUT', 'change', row)
}

export function remove<Action extends ActionName>(...row: [...Row<Action>, options?: Options]): Route<Action> {
  return routeOf('DELETE', 'delete', row)
}

/** Whether a request may come without a body, which then means `{}`. */
export function isBodyOptional({ kind }: Pick<Route, 'kind'>): boolean {
  return kind === 'renew' || kind === 'move' || kind === 'send' || kind === 'queue'
}

/** The schema of the JSON body of a route, by which the action validates; null where the route takes none. */
export function bodySchemaOf({ action }: Pick<Route, 'action'>): z.ZodType | null {
  const param = Object.values(paramsOf(action)).find(isBodyParam)
  return param === undefined ? null : param.unwrap()
}

function routeOf<Action extends ActionName>(
  method: Route['method'],
  kind: Kind,
  [path, action, answers, about, own = {}]: [...Row<Action>, options?: Options],
  ofKind: Options = {},
): Route<Action> {
  const [body = null] = Object.entries(paramsOf(action)).find(([, param]) => isBodyParam(param)) ?? []
  const usual = { statuses: [200], showsSecret: false, preview: null } as const
  return { method, path, action, kind, body, answers, about, ...usual, ...ofKind, ...own }
}

/** The names of the params that a request gives in its query. */
export function queryNamesOf({ action, path, body }: Pick<Route, 'action' | 'path' | 'body'>): string[] {
  return Object.keys(paramsOf(action)).filter((name) => name !== body && !path.includes(`{${name}}`))
}

function paramsOf(action: ActionName): Record<string, z.ZodType> {
  return actions[action].shape
}
