// Owns telling the owner of a shop that webhooks fail: once for each stage, to ownerEmail. states-and-events.md 5.2.
// A notice is a row, written with what it tells of; the mail goes when it can. A worker that dies between the mail server's
// answer and the mark sends it once more. Who has no ownerEmail is told by the dashboard alone.
import type { Call } from '#runtime/service'
import { shopRecord } from '#contracts/objects/shop'
import type { Mail } from '#mail/mail'
import type { Database } from '#postgres/connect'
import { noticeLetter } from './mail.ts'
import { claimNotice, closeNotice, delayNotice, firstGivenUp, type NoticeRow } from './queries.ts'
import { countWaiting } from '../delivery/queue-queries.ts'

const AGAIN_S = [60, 300, 1_800, 7_200, 21_600]

export type NoticeOffice = { db: Database; call: Call; mail: Mail; publicUrl: string }

/** Sends one notice that is due; false where none was. */
export async function sendNotice(office: NoticeOffice): Promise<boolean> {
  const { db } = office
  const notice = await claimNotice(db)
  if (notice === null) return false
  if ((await isTold(office, notice)) || notice.tries > AGAIN_S.length) await closeNotice(db, notice.shop_id, notice.id)
  else await delayNotice(db, notice.shop_id, notice.id, AGAIN_S[notice.tries - 1] ?? 60)
  return true
}

// True as well where there is nobody to tell.
async function isTold({ db, call, mail, publicUrl }: NoticeOffice, notice: NoticeRow): Promise<boolean> {
  const { shop_id, endpoint_id, line_id, stage, url, disabled_reason } = notice
  const shop = await findShop(call, shop_id)
  if (shop.ownerEmail === null) return true
  const given = await firstGivenUp(db, shop_id, endpoint_id)
  const letter = noticeLetter({
    to: shop.ownerEmail,
    shopName: shop.name,
    stage,
    disabledReason: disabled_reason,
    host: new URL(url).host,
    firstFailure: notice.failing_since ?? given?.at ?? null,
    lastError: notice.last_error ?? given?.error ?? null,
    waiting: await countWaiting(db, shop_id, line_id),
    publicUrl,
  })
  const answer = await mail.send(letter)
  return answer === 'sent'
}

const known = shopRecord.pick({ name: true, ownerEmail: true })

async function findShop(call: Call, shopId: string) {
  const body = await call('shops.get', { shop: shopId })
  const { data } = JSON.parse(String(body)) as { data: unknown }
  return known.parse(data)
}
