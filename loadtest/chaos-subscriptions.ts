// Owns killing the subscriptions service at bad moments, as chaos-orders.ts does with orders; here timers work as well, and
// die with the process that had claimed them.
// node loadtest/chaos-subscriptions.ts [--rounds 200] [--callers 8] [--keep] [--database <url of a server>]
import { subscriptions } from '../services/subscriptions/service.ts'
import { shop } from './chaos-callers.ts'
import { runChaos } from './chaos-rounds.ts'
import { subscriptionCommands } from './chaos-subscription-commands.ts'
import { judge } from './chaos-subscription-judge.ts'

const commands = subscriptionCommands()
await runChaos({
  service: subscriptions,
  probe: { action: 'subscriptions.settings', params: {}, meta: { caller: shop } },
  commands,
  judge: (db, outside) => judge(db, commands.renewalsOf, outside),
})
