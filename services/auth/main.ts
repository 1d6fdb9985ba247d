// Runs the auth service as a process of its own.
import { runService } from '#runtime/main'
import { auth } from './service.ts'

await runService(auth)
