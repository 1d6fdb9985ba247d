// Runs the admin-gateway as a process of its own.
import { runService } from '#runtime/main'
import { adminGateway } from './service.ts'

await runService(adminGateway)
