// Runs the contacts service as a process of its own.
import { runService } from '#broker/main'
import { contacts } from './service.ts'

await runService(contacts)
