// Runs the public gateway as a process of its own.
import { runService } from '#runtime/main'
import { restGateway } from './service.ts'

await runService(restGateway)
