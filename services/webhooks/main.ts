// Runs the webhooks service as a process of its own.
import { runService } from '#runtime/main'
import { webhooks } from './service.ts'

await runService(webhooks)
