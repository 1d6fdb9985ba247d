// Runs the MCP gateway as a process of its own.
import { runService } from '#runtime/main'
import { mcpGateway } from './service.ts'

await runService(mcpGateway)
