// Runs the REST gateway as its own process.
import { runService } from '#runtime/main'
import { restGateway } from './service.ts'

await runService(restGateway)
