// Runs the webhooks service in its own process.
import { runService } from '#runtime/main'
import { webhooks } from './service.ts'

await runService(webhooks)
