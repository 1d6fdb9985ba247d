// Runs the webhooks service as a process of its own.
import { runService } from '#broker/main'
import { webhooks } from './service.ts'

await runService(webhooks)
