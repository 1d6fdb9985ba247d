// The demo shop of `npm start` and `npm run stack`: its keys are printed with the banner, and it is filled after that, behind one line
// of progress (docs/spec/running.md#process-ends).
import type { Log } from '#telemetry/log'
import type { AdminAccess } from '../demo/admin-client.ts'
import { type DemoShop, fillDemo } from '../demo/demo.ts'

const CLEAR_LINE = '\r\u001b[K'

/** Fills the shop unless it is filled. A product that stops meanwhile is no failure: its next start goes on. */
export async function fillDemoShop(admin: AdminAccess, shop: DemoShop, log: Log): Promise<void> {
  if (shop.isFilled) return
  const show = openProgressLine(log)
  try {
    await fillDemo(admin, shop, (what, step, steps) => show(`Filling the demo shop: ${step} of ${steps}, ${what}`))
    show('The demo shop is filled.')
  } catch (error) {
    show('The demo shop is not filled; the next start goes on.')
    if (admin.signal?.aborted !== true) log.error({ error }, 'the demo shop could not be filled')
  } finally {
    if (process.stdout.isTTY) process.stdout.write('\n')
  }
}

/** The link that signs the demo owner in, as the console at `origin` reads it; null where there is no such owner. */
export function signInUrlOf(shop: DemoShop | null, origin: string): string | null {
  return shop === null || shop.signInCode === null ? null : `${origin}/#code=${shop.signInCode}`
}

// On a terminal one line that is written again, elsewhere a line of the log for each step.
function openProgressLine(log: Log): (text: string) => void {
  if (process.stdout.isTTY) return (text) => void process.stdout.write(`${CLEAR_LINE}${text}`)
  return (text) => log.info(text)
}
