// Owns killing the orders service at bad moments, again and again, and saying whether anything was lost or done twice.
// node loadtest/chaos-orders.ts [--rounds 200] [--callers 8] [--keep] [--database <url of a server>]
//
// A real `node services/orders/main.ts` runs on a NATS and a database of its own; this process stands for contacts, catalog
// and webhooks, which are never killed, and for the callers. A caller repeats a command under its Idempotency-Key until it
// hears a definite answer, as a checkout does. At the end everything is judged from the database (chaos-judge.ts).
import { orders } from '../services/orders/service.ts'
import { judge } from './chaos-judge.ts'
import { orderCommands } from './chaos-order-commands.ts'
import { runChaos } from './chaos-rounds.ts'

const commands = orderCommands()
await runChaos({
  service: orders,
  probe: { action: 'orders.known', params: { ids: [] }, meta: {} },
  commands,
  judge: (db, outside) => judge(db, commands.refundsOf, outside),
})
