// Runs the orders service as a process of its own.
import { runService } from '#runtime/main'
import { orders } from './service.ts'

await runService(orders)
