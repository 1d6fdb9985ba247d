// Finds a request for the palette by its id, as a caller has it from `x-request-id`.
import { firstPage } from '../../frame/first-page.ts'
import { api } from '../../frame/session.ts'
import type { Found } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { calledOf } from './request.ts'

const ID = /^[\w.-]{3,128}$/
const SHOWN = 5

export async function findRequests(shop: string, text: string, signal: AbortSignal): Promise<Found[]> {
  if (!ID.test(text)) return []
  const { data } = await firstPage(api.requests.list(shop, { id: text, limit: SHOWN }, { signal }))
  return data.slice(0, 1).map((request) => ({
    href: `/s/${shop}/requests/${encodeURIComponent(request.id)}`,
    title: calledOf(request),
    about: `${words.screens.requests} · ${request.status}`,
  }))
}
