// Runs the subscriptions service as a process of its own.
import { runService } from '#broker/main'
import { subscriptions } from './service.ts'

await runService(subscriptions)
