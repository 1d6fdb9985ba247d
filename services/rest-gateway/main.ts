// Runs the public gateway as a process of its own.
import { runService } from '#broker/main'
import { restGateway } from './service.ts'

await runService(restGateway)
