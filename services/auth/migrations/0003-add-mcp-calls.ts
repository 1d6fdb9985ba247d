// Calls over MCP, of those of a minute. docs/spec/request-log.md#usage
import type { QueryRunner } from 'typeorm'

export class AddMcpCalls1764200000000 {
  name = 'AddMcpCalls1764200000000'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table usage_minutes add column mcp_calls bigint not null default 0')
  }
}
