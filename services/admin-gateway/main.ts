// Runs the admin gateway as its own process.
import { runService } from '#runtime/main'
import { adminGateway } from './service.ts'

await runService(adminGateway)
