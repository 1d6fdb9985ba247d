// The routes of archives and restores, for owners only. docs/spec/archives.md#api
// What is refused is noted in the audit here; who took a part, and each restore that begins or ends, is recorded by auth.
import type Router from '@koa/router'
import type { Calls } from '#calls/calls'
import { actions } from '#contracts/actions'
import {
  ARCHIVE_PATH,
  RESTORE_FINISH_PATH,
  RESTORE_PART_PATH,
  RESTORE_PATH,
  RESTORES_PATH,
} from '#contracts/archive/paths'
import { BASE_PATH } from '#contracts/back-office/routes'
import type { CallMeta } from '#contracts/caller'
import { emptyInput } from '#contracts/input/fields'
import { limits } from '#contracts/limits'
import { hasNoBody, parseObject, readBody } from '#http/body'
import type { Exchange, GatewayContext } from '#http/exchange'
import { answerInParts } from '#http/large-answer'
import { queryReader, schemaReader } from '#http/query'
import { answer } from '#http/respond'
import type { SlowReaders } from '#http/slow-readers'
import { z } from 'zod'
import { asBuffer } from '#runtime/middlewares/large-response'
import { openParams } from '#schema/open'
import { routerPath } from '#schema/path'
import type { AuditLog } from '../access/audit-log.ts'
import type { Identify } from '../access/identify.ts'
import { checkShop, findCaller } from '../access/named-shop.ts'
import { checkRole } from '../access/roles.ts'
import { callerOf, operatorOf } from '../access/session-routes.ts'
import { archivePartName, pagesOf } from './archive-part.ts'
import { finishRestore, restoreBatchOf, storeBatch } from './restore-batch.ts'

type Office = { calls: Calls; readers: SlowReaders; auditLog: AuditLog }
type RoutedContext = GatewayContext & { params: Record<string, string> }
type Work = (ctx: RoutedContext, meta: CallMeta) => Promise<void>
/** `isRead`: nothing is changed, and nothing noted. */
type Row = { method: 'get' | 'post'; path: string; action: string; isRead?: boolean; work: Work }

const readNoQuery = schemaReader(z.object({}), [], { unknown: 'refused' })
const readArchiveQuery = queryReader('auth.archive_part', ['part'], { unknown: 'refused' })
const readBeginQuery = queryReader('restores.begin', ['restore'], { unknown: 'refused' })

export function archiveRoutes(
  router: Router<Exchange>,
  { calls, readers, auditLog }: Office,
  identify: Identify,
): void {
  const rows: Row[] = [
    {
      method: 'get',
      path: ARCHIVE_PATH,
      action: 'archives.open',
      async work(ctx, meta) {
        const { after = null } = readArchiveQuery(ctx.querystring) as { after?: string }
        const caller = await findCaller(ctx, calls, ctx.params.shop ?? '', meta)
        ctx.state.caller = caller
        checkShop(caller, operatorOf(ctx))
        const part = archivePartName(ctx.params.part ?? '')
        const own = { ...meta, caller }
        const pages = pagesOf(calls, part, after, own)
        const first = await pages.next() // A refusal has its status; later ones end the connection.
        await calls.command('archives.open', { part }, own)
        ctx.state.showsSecret = part === 'endpoint-secrets'
        answerInParts(ctx, withFirst(first, pages), readers)
        ctx.set('content-type', 'text/plain; charset=utf-8')
      },
    },
    {
      method: 'post',
      path: RESTORES_PATH,
      action: 'restores.begin',
      async work(ctx, meta) {
        const query = readBeginQuery(ctx.querystring)
        const restore = parseObject(await readBody(ctx, limits.backOfficeBodyBytesMax))
        const params = openParams(actions['restores.begin'], { ...query, restore })
        const { created, body } = (await calls.command('restores.begin', params, meta)) as Decided
        await answer(ctx, asBuffer(body), created ? 201 : 200)
      },
    },
    {
      method: 'get',
      path: RESTORE_PATH,
      action: 'restores.get',
      isRead: true,
      async work(ctx, meta) {
        readNoQuery(ctx.querystring)
        await answer(ctx, asBuffer(await calls.read('restores.get', { id: idIn(ctx) }, meta)))
      },
    },
    {
      method: 'post',
      path: RESTORE_PART_PATH,
      action: 'restores.advance',
      async work(ctx, meta) {
        readNoQuery(ctx.querystring)
        const part = archivePartName(ctx.params.part ?? '')
        const batch = restoreBatchOf(await readBody(ctx, limits.restoreBodyBytesMax))
        const position = await storeBatch(calls, { id: idIn(ctx), part, batch }, meta)
        const data = { object: 'restore_batch', part, position }
        await answer(ctx, Buffer.from(JSON.stringify({ data })))
      },
    },
    {
      method: 'post',
      path: RESTORE_FINISH_PATH,
      action: 'restores.finish',
      async work(ctx, meta) {
        readNoQuery(ctx.querystring)
        await readEmptyBody(ctx)
        await answer(ctx, await finishRestore(calls, idIn(ctx), meta))
      },
    },
  ]
  for (const row of rows) router[row.method](BASE_PATH + routerPath(row.path), endpoint(row))

  function endpoint({ path, action, isRead = false, work }: Row): (ctx: RoutedContext) => Promise<void> {
    return async (ctx) => {
      ctx.state.route = BASE_PATH + path
      const tried = { action, path }
      try {
        identify.checkOrigin(ctx)
        checkRole(operatorOf(ctx).role, 'owner')
        const meta: CallMeta = { request_id: ctx.state.requestId, operator: callerOf(ctx) }
        await work(ctx, isRead ? meta : { ...meta, audit: auditLog.callOf(ctx, tried) })
      } catch (error) {
        if (!isRead) auditLog.note(ctx, { ...tried, shopId: ctx.state.caller?.shopId }, callerOf(ctx), error)
        throw error
      }
    }
  }
}

type Decided = { created: boolean; body: unknown }

async function readEmptyBody(ctx: RoutedContext): Promise<void> {
  if (!hasNoBody(ctx.req)) openParams(emptyInput, parseObject(await readBody(ctx, limits.backOfficeBodyBytesMax)))
}

function idIn({ params }: RoutedContext): string {
  return params.id ?? ''
}

async function* withFirst(first: IteratorResult<Buffer, void>, rest: AsyncGenerator<Buffer, void>) {
  if (first.done === true) return
  yield first.value
  yield* rest
}
