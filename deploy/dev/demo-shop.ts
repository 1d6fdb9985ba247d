// The demo shop of `npm start` and `npm run stack`: its keys are printed with the banner, and it is filled after that, behind one line
// of progress; every start also makes a few requests in it (docs/spec/running.md#process-ends).
import type { Log } from '#telemetry/log'
import type { AdminAccess } from '../demo/admin-client.ts'
import type { DemoShop } from '../demo/demo.ts'
import { moveEndpoints } from '../demo/endpoints.ts'
import { showLife } from '../demo/each-start.ts'
import { type DemoSurroundings, fillDemo, isFilled } from '../demo/fill-demo.ts'

const CLEAR_LINE = '\r\u001b[K'

/** Fills the shop unless it is filled, and makes the requests of each start. A product that stops meanwhile is not a failure: its next start continues. */
export async function fillDemoShop(
  admin: AdminAccess,
  shop: DemoShop,
  around: DemoSurroundings,
  log: Log,
): Promise<void> {
  try {
    await moveEndpoints(admin, shop.handle, around.receiver.origin)
  } catch (error) {
    if (admin.signal?.aborted !== true) log.error({ error }, 'the endpoints of the demo shop keep their old addresses')
    return
  }
  if (isFilled(admin, shop, around)) return use(admin, shop, around, log)
  const show = openProgressLine(log)
  const onStep = (what: string, step: number, steps: number) =>
    show(`Filling the demo shop: ${step} of ${steps}, ${what}`)
  try {
    await fillDemo(admin, shop, around, onStep)
    await use(admin, shop, around, log)
    show('The demo shop is filled.')
  } catch (error) {
    show('The demo shop is not filled; the next start goes on.')
    if (admin.signal?.aborted !== true) log.error({ error }, 'the demo shop could not be filled')
  } finally {
    if (process.stdout.isTTY) process.stdout.write('\n')
  }
}

async function use(admin: AdminAccess, shop: DemoShop, around: DemoSurroundings, log: Log): Promise<void> {
  try {
    await showLife(admin, shop, around, new Date())
  } catch (error) {
    if (admin.signal?.aborted !== true)
      log.error({ error }, 'the requests of this start were not made in the demo shop')
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
