// A schema with the table of kept answers and nothing else, for tests of libs/postgres.
import type { QueryRunner } from 'typeorm'
import type { Storage } from '#postgres/connect'
import { idempotencyTable } from '#postgres/idempotency'

class CreateAnswers1763600000001 {
  name = 'CreateAnswers1763600000001'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(idempotencyTable)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table idempotent_answers')
  }
}

export const answersStorage: Storage = { schema: 'answers', entities: [], migrations: [CreateAnswers1763600000001] }
