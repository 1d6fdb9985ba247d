// Makes a command of each row of table.ts: arguments from the names in the path, options from the params of the action and the schema
// of the body, the help from the sentence of the route. docs/spec/command-line.md
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { Option } from 'commander'
import { actions } from '#contracts/actions'
import { bodySchemaOf, queryNamesOf, type Route } from '#contracts/back-office/route'
import { routes } from '#contracts/back-office/routes'
import { whyUnusable } from '#files/unusable'
import { once } from '#runtime/once'
import { namesIn } from '#schema/path'
import type { BackOffice, Json, Query } from './back-office.ts'
import { type Command, type Given, idIn, limitOption, shopOption, shopPath, textOption } from '../command.ts'
import { newestDelivery } from '../events/deliveries.ts'
import { usageError } from '../failure.ts'
import { type Field, fieldsOf, jsonIn, optionsOf, queryOf, valuesOf } from './fields.ts'
import { type Row, table } from './table.ts'

export const officeCommands: Command[] = table.map(({ action, words, row }) => {
  const route = routes.find((one) => one.action === action)
  if (route === undefined) throw new Error(`No route calls ${action}.`)
  const { about } = route
  const schema = bodySchemaOf(route)
  // Made for the command that runs: for all of them it is a third of the start.
  const fields = once(() => ({
    query: queryFields(route),
    body: schema === null ? [] : fieldsOf(schema, row.names),
  }))
  const args = [...idsIn(route), ...(row.argument === undefined ? [] : [row.argument])]
  return {
    words,
    about,
    args: args.map((name) => `<${name}>`),
    get options() {
      const { query, body } = fields()
      const own = body.filter(({ flag }) => flag !== row.argument)
      return [
        ...(isForShop(route) ? [shopOption()] : []),
        ...[...query, ...own].flatMap(optionsOf),
        ...(isPaged(route) ? [limitOption()] : []),
        ...(row.follow === undefined ? [] : [new Option('--follow', 'show new ones as they happen; stop with Ctrl-C')]),
        ...(body.length > 0
          ? [new Option('--body <file>', 'the whole body as JSON: the text itself, a file, or - for stdin')]
          : []),
        ...(route.method === 'POST'
          ? [new Option('--idempotency-key <key>', 'a call that is repeated with the same key takes effect once')]
          : []),
      ]
    },
    examples: [`${row.example}${isForShop(route) ? ' --shop demo' : ''}`.trim()],
    async run(given) {
      const { query, body } = fields()
      if (given.options.follow === true) return row.follow?.(given)
      if (isList(route)) return showList(given, route, queryOf(query, given.options))
      const sent = body.length === 0 ? undefined : await bodyOf(words, route, body, row, given)
      const office = given.office()
      const path = await pathOf(office, route, given)
      const key = textOption(given, 'idempotencyKey')
      const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key }
      const search = new URLSearchParams(queryOf(query, given.options)).toString()
      const answer = await office.call(route.method, search === '' ? path : `${path}?${search}`, sent, headers)
      if (row.show !== undefined) return row.show(answer, given, path)
      given.output.one(answer)
      if (typeof answer.secret === 'string') given.output.note('The secret is not shown again.')
      return 0
    },
  }
})

async function showList(given: Given, route: Route, query: Query): Promise<number> {
  const office = given.office()
  const path = await pathOf(office, route, given)
  if (isPaged(route)) await given.output.list(office.walk(path, query, given.options.limit as number))
  else
    await given.output.list(
      (await office.call('GET', `${path}?${new URLSearchParams(query as Record<string, string>).toString()}`)) as never,
    )
  return 0
}

async function bodyOf(words: string, route: Route, fields: Field[], row: Row, given: Given): Promise<Json> {
  const whole = await readBody(textOption(given, 'body') ?? '{}')
  const argument = row.argument === undefined ? {} : { [row.argument]: given.args.at(-1) }
  const body = valuesOf(fields, given.options, { ...row.defaults, ...whole, ...argument })
  const missing = fields.find(({ isRequired, path: [name = ''] }) => isRequired && body[name] === undefined)
  if (missing !== undefined) throw usageError(`${words} needs --${missing.flag}.`)
  if (route.method === 'PATCH' && Object.keys(body).length === 0)
    throw usageError(`${words} has nothing to change. Give at least one option.`)
  return body
}

async function readBody(given: string): Promise<Json> {
  try {
    const content =
      given === '-' ? await text(process.stdin) : given.trim().startsWith('{') ? given : readFileSync(given, 'utf8')
    return jsonIn(content) as Json
  } catch (error) {
    throw usageError(`--body ${given.slice(0, 80)} cannot be read: ${whyUnusable(error) ?? 'it is not valid JSON'}.`)
  }
}

/** The path of the call, without a query. An id may be `latest`: the newest of the list that it belongs to. */
async function pathOf(office: BackOffice, route: Route, given: Given): Promise<string> {
  const words = [...given.args]
  const isOfShop = isForShop(route)
  let path = ''
  for (const segment of route.path.split('/').slice(1)) {
    const [name] = namesIn(segment)
    if (name === undefined) path += `/${segment}`
    else if (name === 'shop' && isOfShop) path = shopPath(given)
    else path += `/${encodeURIComponent(await idIn(words.shift() ?? '', listAt(office, path)))}`
  }
  return path
}

function listAt(office: BackOffice, path: string): () => AsyncIterable<Json> {
  const [shop = '', isDeliveries] = path.split(/(\/deliveries)$/)
  return () => (isDeliveries === undefined ? office.walk(path, {}, 1) : newestDelivery(office, shop))
}

function idsIn(route: Route): string[] {
  return namesIn(route.path).filter((name) => name !== 'shop' || !isForShop(route))
}

function isForShop({ path }: Route): boolean {
  return path.startsWith('/shops/{shop}/')
}

function isList({ action }: Route): boolean {
  return /\.(list|history)$/.test(action)
}

function isPaged({ action }: Route): boolean {
  return 'cursor' in actions[action].shape
}

// All params of the query but those of paging.
function queryFields(route: Route): Field[] {
  const names = queryNamesOf(route).filter((name) => name !== 'limit' && name !== 'cursor')
  return fieldsOf(actions[route.action]).filter(({ path: [name = ''] }) => names.includes(name))
}
