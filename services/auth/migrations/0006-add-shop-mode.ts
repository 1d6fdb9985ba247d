// Adds whether a shop is real, and shows it in the stored records. docs/spec/back-office.md#shops
// With a default: processes of the earlier release go on creating shops without it, which are live.
import type { QueryRunner } from 'typeorm'

export class AddShopMode1763600000060 {
  name = 'AddShopMode1763600000060'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table auth.shops add column mode text not null default 'live' check (mode in ('live', 'test'));
      update auth.shops set record = left(record, -1) || ',"mode":"live"}'`)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      update auth.shops set record = replace(record, ',"mode":"' || mode || '"}', '}');
      alter table auth.shops drop column mode`)
  }
}
