// Runs the webhooks service in its own process. `npm run stack` names the origin of its receiver as an argument.
import { runService } from '#runtime/main'
import { webhooks } from './service.ts'

await runService(webhooks, { webhookAllowedOrigin: process.argv[2] })
