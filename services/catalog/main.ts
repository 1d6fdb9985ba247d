// Runs the catalog service as a process of its own.
import { runService } from '#runtime/main'
import { catalog } from './service.ts'

await runService(catalog)
