// Runs the MCP gateway as a process of its own.
import { runService } from '#broker/main'
import { mcpGateway } from './service.ts'

await runService(mcpGateway)
