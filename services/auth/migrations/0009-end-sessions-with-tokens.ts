// A session ends with the token that it began with. docs/spec/operators-and-roles.md#sessions
// Null: a sign-in without a token, or one of the earlier release, which ends within 12 h. No foreign key: checking one would lock the
// tokens, which are never deleted.
import type { QueryRunner } from 'typeorm'

export class EndSessionsWithTokens1763900000030 {
  name = 'EndSessionsWithTokens1763900000030'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table auth.sessions add column token_id uuid')
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table auth.sessions drop column token_id')
  }
}
