// Runs the subscriptions service as a process of its own.
import { runService } from '#runtime/main'
import { subscriptions } from './service.ts'

await runService(subscriptions)
