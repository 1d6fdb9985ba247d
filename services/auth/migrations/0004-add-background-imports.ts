// Imports in the background: their files, leases and problems. docs/spec/internals.md#background-imports
import type { QueryRunner } from 'typeorm'

// `chunks`: of the file of a background import; null for one whose caller waits. `fence`: how often a worker has claimed it. `options` and
// `operator` are JSON. Before this migration `processed` were records, and there is no total of theirs.
const imports = `
  alter table imports
    drop constraint imports_status_check,
    drop constraint imports_check,
    add check (status in ('queued', 'running', 'completed', 'failed', 'cancelled')),
    add check ((status in ('queued', 'running')) = (finished_at is null)),
    add column phase text not null default 'writing' check (phase in ('queued', 'checking', 'writing')),
    add column total integer,
    add column records integer not null default 0,
    add column blank_records integer not null default 0,
    add column ignored_records integer not null default 0,
    add column records_per_second real,
    add column eta_seconds integer,
    add column problem_counts text not null default '{}',
    add column chunks integer,
    add column options text,
    add column operator text,
    add column request_id text,
    add column fence integer not null default 0,
    add column lease_until timestamptz,
    add column cancel_asked_at timestamptz;
  update imports set records = processed, processed = created + updated + unchanged + skipped + failed;
  create index imports_waiting on imports (created_at, id) where status in ('queued', 'running') and chunks is not null;
  create index imports_run_again on imports (finished_at) where fence > 1;
`

// Files of background imports, under the id of the import. A file that is not queued goes when nothing of it has arrived for a while.
// CSV in chunks is stored as it is: compressing it would cost more time than the disk.
const files = `
  create table import_files (
    id uuid primary key,
    shop_id uuid not null references shops,
    is_queued boolean not null default false,
    touched_at timestamptz not null
  );
  create index import_files_shop on import_files (shop_id);
  create index import_files_age on import_files (touched_at) where not is_queued;
  create table import_chunks (
    file_id uuid not null,
    number integer not null,
    bytes bytea not null,
    primary key (file_id, number)
  );
  alter table import_chunks alter column bytes set storage external;
`

// Every problem of an import, under the run that found it. `line` 0: of the whole file.
const problems = `
  create table import_problems (
    import_id uuid not null references imports,
    fence integer not null,
    line integer not null,
    number integer not null,
    key text,
    column_name text,
    code text not null,
    value text,
    primary key (import_id, fence, line, number)
  );
`

export class AddBackgroundImports1764300000000 {
  name = 'AddBackgroundImports1764300000000'

  async up(runner: QueryRunner): Promise<void> {
    for (const topic of [imports, files, problems]) await runner.query(topic)
  }
}
