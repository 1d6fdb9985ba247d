// Adds the budget that responses show while several gateways hold units of one key. docs/spec/internals.md#remaining-budget
// Nullable and without a default: processes of the earlier release go on writing rows without it.
import type { QueryRunner } from 'typeorm'

export class AddShownBudget1763600000055 {
  name = 'AddShownBudget1763600000055'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table auth.budgets add column shown integer')
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table auth.budgets drop column shown')
  }
}
