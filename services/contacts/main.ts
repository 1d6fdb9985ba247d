// Runs the contacts service as a process of its own.
import { runService } from '#runtime/main'
import { contacts } from './service.ts'

await runService(contacts)
