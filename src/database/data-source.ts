import pg from 'pg';
import { AbstractLogger, DataSource } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';

import { MIGRATIONS } from '../../migrations/index.js';
import type { Config } from '../config/config.js';
import { embeddedDriver } from './embedded/embedded-driver.js';
import { migrate, type MigrationClass } from './migrate.js';
import { PLANNING } from './pool/planning.js';
import { PrimaryPool } from './pool/primary-pool.js';
import { timeoutsOf } from './pool/timeouts.js';

/** Opens the database, with its schema up to date if `migrationsRun` says so. */
export async function openDataSource({
  migrationsRun,
  ...options
}: PostgresDataSourceOptions): Promise<DataSource> {
  const dataSource = await new DataSource(options).initialize();
  try {
    if (migrationsRun) await migrate(dataSource);
    return dataSource;
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}

/**
 * How TypeORM, and pg below it, reach the database that the configuration names.
 *
 * @param migrations those that run beside the service's own
 */
export function dataSourceOptions(
  config: Config,
  migrations: readonly MigrationClass[] = [],
): PostgresDataSourceOptions {
  return {
    type: 'postgres',
    synchronize: false,
    logger: new NoLogger(),
    installExtensions: false,
    migrations: [...MIGRATIONS, ...migrations],
    migrationsTableName: 'migration',
    migrationsRun: config.migrateOnStart,
    ...(config.databaseUrl === undefined
      ? {
          driver: embeddedDriver(config.dataDir),
          extra: { types, connectionTimeoutMillis: config.connectTimeoutMs },
        }
      : {
          driver: { ...pg, Pool: PrimaryPool },
          url: config.databaseUrl,
          extra: poolOptions(config),
        }),
  };
}

/** How connections to a PostgreSQL are made, whichever it is. */
export function poolOptions(config: Config): pg.PoolConfig {
  return { application_name: 'petstore', max: config.poolSize, types, ...session(config) };
}

/** What goes wrong is thrown, and logged by who catches it. TypeORM's own logger writes to stdout whatever it is told. */
class NoLogger extends AbstractLogger {
  protected override writeLog(): void {
    // On purpose.
  }
}

function session(config: Config): pg.PoolConfig {
  const connection = { connectionTimeoutMillis: config.connectTimeoutMs, keepAlive: true };
  // A pooler that lends a connection for a transaction at a time has no session to set anything in.
  if (config.pooler === 'transaction') return connection;
  return {
    ...connection,
    ...timeoutsOf(config),
    options: Object.entries(PLANNING)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  };
}

const { INT8 } = pg.types.builtins;

/** pg's own parsers, but for int8, which becomes a bigint: a string would be exact, and no number. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === INT8 ? toBigint : (pg.types.getTypeParser(oid, format) as typeof toBigint),
};

/** Digits that a number holds exactly, whatever they are. */
const SAFE_DIGITS = 15;

/** Reads an integer. V8 makes a bigint of a number in half the time that it takes for one of a text. */
function toBigint(text: string): bigint {
  return BigInt(text.length <= SAFE_DIGITS ? Number(text) : text);
}
