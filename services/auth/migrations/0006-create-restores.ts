// Restores of archives, each with how many rows of its parts are stored. docs/spec/archives.md#restore
import type { QueryRunner } from 'typeorm'

const restores = `
  create table restores (
    id uuid primary key,
    shop_id uuid not null,
    handle text not null check (handle <> ''),
    archive text not null,
    status text not null check (status in ('running', 'completed')),
    new_ids boolean not null,
    events boolean not null,
    counts jsonb not null,
    positions jsonb not null default '{}',
    shop text,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    finished_at timestamptz(3),
    check ((status = 'running') = (finished_at is null))
  );
  create unique index restores_handle on restores (handle) where status = 'running';
  create unique index restores_shop on restores (shop_id) where status = 'running';
  create index restores_newest on restores (handle, created_at desc);
`

export class CreateRestores1764600000000 {
  name = 'CreateRestores1764600000000'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(restores)
  }
}
