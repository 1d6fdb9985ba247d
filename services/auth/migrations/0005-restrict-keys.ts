// API keys that end, that only some addresses may use, and that reach some resources only. docs/spec/back-office.md#restricted-keys
// Nullable and without a default: null is what every key had before. `rolled_at`: another key has taken the place of this one.
import type { QueryRunner } from 'typeorm'

export class RestrictKeys1763800000001 {
  name = 'RestrictKeys1763800000001'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table auth.api_keys
        add column expires_at timestamptz(3),
        add column allowed_sources text[],
        add column resources text[],
        add column rolled_at timestamptz(3);
      create trigger raise_identity_version_of_restrictions
        after update of expires_at, allowed_sources, resources on auth.api_keys
        for each statement execute function auth.raise_identity_version()`)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger raise_identity_version_of_restrictions on auth.api_keys;
      alter table auth.api_keys
        drop column expires_at, drop column allowed_sources, drop column resources, drop column rolled_at`)
  }
}
