// The request as the back office answers it, and what several parts of the screen say of it.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import type { Tone } from '../../parts/status.tsx'

export type Request = BackOfficeSchemas['Request']
/** Names of keys by their ids. */
export type KeyNames = ReadonlyMap<string, string>

/** `/s/{shop}/requests/live` shows requests as they are answered. */
export const LIVE = 'live'

export function calledOf({ method, route, tool }: Request): string {
  return tool ?? `${method} ${route ?? '?'}`
}

export function toneOf({ status }: Request): Tone {
  if (status < 400) return 'ok'
  return status < 500 ? 'open' : 'warn'
}
