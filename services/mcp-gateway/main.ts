// Runs the MCP gateway as its own process.
import { runService } from '#runtime/main'
import { mcpGateway } from './service.ts'

await runService(mcpGateway)
