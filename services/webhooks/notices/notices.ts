// Failure alerts to the owner of a shop, and automatic disabling of endpoints (docs/spec/webhooks.md#notices, #disabling).
//
// A notice is a row, written in the transaction of its cause; the mail is sent later. A worker that dies after the mail server
// accepted the mail, and before the row is closed, sends it once more. An owner without `ownerEmail` gets no mail.
import { shopRecord } from '#contracts/objects/shop'
import type { Mail } from '#mail/mail'
import type { Database } from '#postgres/connect'
import type { Call } from '#runtime/service'
import { noticeLetter } from './mail.ts'
import { claimNotice, closeNotice, delayNotice, firstGivenUp, insertNotice, type NoticeRow } from './queries.ts'
import type { DeliveryConfig } from '../delivery/delivery-config.ts'
import { scheduleNow } from '../delivery/queue-queries.ts'
import { countWaiting } from '../delivery/sweep-queries.ts'
import { disableEndpoint, type FailingRow, listFailing } from '../endpoints/queries.ts'

const RETRIES_S = [60, 300, 1_800, 7_200, 21_600]

export type NoticeSender = { db: Database; call: Call; mail: Mail; publicUrl: string }

/** Writes notices about endpoints that fail, and disables those that have failed for too long. */
export async function checkFailingEndpoints(db: Database, config: DeliveryConfig): Promise<void> {
  const shortestS = Math.min(config.noticeAfterS.first, config.disableAfterS)
  for (const endpoint of await listFailing(db, shortestS)) {
    await db.transaction(async (tx) => {
      const { shop_id, id, failing_since } = endpoint
      await scheduleNow(tx, [shop_id])
      const stage = stageOf(endpoint, config)
      if (stage === null) return
      if (stage === 'disabled' && !(await disableEndpoint(tx, shop_id, id, 'failing'))) return
      await insertNotice(tx, shop_id, id, stage, failing_since, 0)
    })
  }
}

function stageOf({ failing_s, failures }: FailingRow, config: DeliveryConfig) {
  if (failing_s >= config.disableAfterS && failures >= config.disableAfter) return 'disabled'
  if (failing_s >= config.noticeAfterS.second) return 'failing_second'
  return failing_s >= config.noticeAfterS.first ? 'failing_first' : null
}

/** Sends one notice that is due; returns false where none was. */
export async function sendNotice(sender: NoticeSender): Promise<boolean> {
  const { db } = sender
  const notice = await claimNotice(db)
  if (notice === null) return false
  const { shop_id, id, tries } = notice
  if ((await isHandled(sender, notice)) || tries > RETRIES_S.length) await closeNotice(db, shop_id, id)
  else await delayNotice(db, shop_id, id, RETRIES_S[tries - 1] ?? 60)
  return true
}

// True where the mail was sent, or has no recipient.
async function isHandled({ db, call, mail, publicUrl }: NoticeSender, notice: NoticeRow): Promise<boolean> {
  const { shop_id, endpoint_id, queue_id, stage, url, disabled_reason } = notice
  const shop = await findShop(call, shop_id)
  if (shop.ownerEmail === null) return true
  const givenUp = await firstGivenUp(db, shop_id, endpoint_id)
  const letter = noticeLetter({
    to: shop.ownerEmail,
    shopName: shop.name,
    stage,
    disabledReason: disabled_reason,
    host: new URL(url).host,
    firstFailure: notice.failing_since ?? givenUp?.at ?? null,
    lastError: notice.last_error ?? givenUp?.error ?? null,
    waiting: await countWaiting(db, shop_id, queue_id),
    publicUrl,
  })
  return (await mail.send(letter)) === 'sent'
}

const owner = shopRecord.pick({ name: true, ownerEmail: true })

async function findShop(call: Call, shopId: string) {
  const { data } = JSON.parse(String(await call('shops.get', { shop: shopId }))) as { data: unknown }
  return owner.parse(data)
}
