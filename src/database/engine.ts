/** The kind of database server: PostgreSQL, or PostgreSQL with the extension Citus. */
export type Engine = 'postgresql' | 'citus';

/** Injection token of the {@link Engine}. */
export const ENGINE = Symbol('Engine');

/** The names of the engines for operators. */
export const ENGINE_NAMES: Record<Engine, string> = {
  postgresql: 'PostgreSQL',
  citus: 'PostgreSQL with Citus',
};
