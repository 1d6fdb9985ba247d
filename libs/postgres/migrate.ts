// Owns the way a schema comes to its newest version: role, schema, migrations, one after the other under a lock.
// Several replicas may start together: the advisory lock lets one work, the others then find nothing to do.
//
// Roles: where DATABASE_URL names an owner that may create roles (embedded, tests, a trial), each service steps into a
// role of its own at connection start. Where it names a role that may not (production: a login for each service, made by
// deploy/roles.sql), that role is used as it is.
import pg from 'pg'
import { type Storage, codeOf } from './connect.ts'

const ALREADY_THERE = new Set(['42710', '23505', 'XX000']) // duplicate_object; unique_violation; "tuple concurrently updated".

/** Brings one schema to its newest version. Gives the role to connect with, or null for the role of the URL. */
export async function migrate(storage: Storage, url: string): Promise<{ role: string | null; applied: string[] }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query("select pg_advisory_lock(hashtext('migrate:' || $1))", [storage.schema])
    const role = await makeRole(client, storage.schema)
    if (!(await hasSchema(client, storage.schema))) {
      await client.query(`create schema ${storage.schema}${role === null ? '' : ` authorization ${role}`}`)
    }
    if (role !== null) await client.query(`set role ${role}`) // Who may make roles need not be allowed to read their tables.
    return { role, applied: (await isNewest(client, storage)) ? [] : await runMigrations(storage, url, role) }
  } finally {
    await client.end() // Ends the session and with it the lock.
  }
}

// Asked first, since even `create schema if not exists` wants the right to create one, which a service's own login lacks.
async function hasSchema(client: pg.Client, schema: string): Promise<boolean> {
  const { rows } = await client.query('select 1 from pg_namespace where nspname = $1', [schema])
  return rows.length > 0
}

async function makeRole(client: pg.Client, schema: string): Promise<string | null> {
  const { rows } = await client.query(
    'select rolcreaterole or rolsuper as owner from pg_roles where rolname = current_user',
  )
  if (rows[0]?.owner !== true) return null
  const role = `storefront_${schema}`
  const known = await client.query('select 1 from pg_roles where rolname = $1', [role])
  if (known.rows.length > 0) return role
  try {
    await client.query(`create role ${role} nologin`)
  } catch (error) {
    // Roles belong to the cluster, not to the database: another database of it may have made this one just now.
    if (!ALREADY_THERE.has(codeOf(error) ?? '')) throw error
  }
  await client.query(`grant ${role} to current_user`).catch((error: unknown) => {
    if (!ALREADY_THERE.has(codeOf(error) ?? '')) throw error
  })
  return role
}

// Whether TypeORM has noted all that there are: then it need not be loaded, which is the case at nearly every start.
async function isNewest(client: pg.Client, { schema, migrations }: Storage): Promise<boolean> {
  const { rows } = await client.query('select to_regclass($1) is not null as noted', [`${schema}.migrations`])
  if (rows[0]?.noted !== true) return false
  const names = migrations.map((Migration) => new Migration().name ?? Migration.name)
  const done = await client.query(`select 1 from ${schema}.migrations where name = any($1)`, [names])
  return done.rows.length === names.length
}

async function runMigrations(storage: Storage, url: string, role: string | null): Promise<string[]> {
  const onError = () => undefined // A connection that breaks here also breaks the migration that uses it, which is thrown.
  const { dataSourceOf } = await import('./data-source.ts')
  const dataSource = dataSourceOf(storage, { url, role, connectionsMax: 1, statementTimeoutMs: 0, onError })
  await dataSource.initialize()
  try {
    const done = await dataSource.runMigrations({ transaction: 'each' })
    return done.map((migration) => migration.name)
  } finally {
    await dataSource.destroy()
  }
}
