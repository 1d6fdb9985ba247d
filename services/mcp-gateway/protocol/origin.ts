// Owns the check of the Origin header: a page of another site must not reach this endpoint through its visitor's browser.
// Spec: Authentication, rule 9. It comes first of all; without the header, as with every client that is no browser, all is
// well.
import type { IncomingHttpHeaders } from 'node:http'
import { refuse } from '#contracts/errors'

/** Refuses forbidden unless the Origin is that of `publicUrl` or absent. */
export function refuseForeignOrigin({ origin }: IncomingHttpHeaders, publicUrl: string): void {
  if (origin === undefined || origin === new URL(publicUrl).origin) return
  throw refuse('forbidden', 'Requests from pages of another origin are not answered here.')
}
