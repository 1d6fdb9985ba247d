// Owns TypeORM's view of a schema: its tables and its migrations. Loaded only where a migration has to run (migrate.ts), as
// it takes some 17 MB that no call of a service ever needs.
import { DataSource, EntitySchema } from 'typeorm'
import { connectionOptions, type PoolOptions, type Storage } from './connect.ts'

/** The TypeORM DataSource of a schema, not yet initialized. */
export function dataSourceOf(storage: Storage, options: PoolOptions): DataSource {
  return new DataSource({
    type: 'postgres',
    url: options.url,
    schema: storage.schema,
    entities: storage.entities.map((entity) => new EntitySchema(entity)),
    migrations: storage.migrations,
    migrationsTableName: 'migrations',
    synchronize: false,
    installExtensions: false,
    poolSize: options.connectionsMax,
    poolErrorHandler: (error: Error) => options.onError(error),
    extra: connectionOptions(storage, options),
  })
}
