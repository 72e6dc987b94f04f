import { cpus, totalmem } from 'node:os';

import { query } from './query.ts';

/** Returns the processors and the memory of this machine. */
export function machine(): string {
  const cpu = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`;
  return `${cpu}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
}

/** Returns the version of a PostgreSQL. */
export async function postgresVersion(databaseUrl: string): Promise<string> {
  const [row] = await query<{ server_version: string }>(databaseUrl, 'SHOW server_version');
  return row?.server_version.split(' ')[0] ?? 'unknown';
}

/** Describes a measurement: the day, this machine, and the versions of Node and other programs. */
export function circumstances(versions: Record<string, string>): string {
  const programs = Object.entries({ Node: process.versions.node, ...versions });
  const text = programs.map(([name, version]) => `${name} ${version}`.trim()).join(', ');
  return `${new Date().toISOString().slice(0, 10)} · ${machine()} · ${text}`;
}

/**
 * Formats a table in Markdown.
 *
 * @param texts the number of columns with text. The others contain figures
 */
export function table(heads: readonly string[], rows: readonly string[][], texts = 1): string {
  const rule = heads.map((_, index) => (index < texts ? '---' : '--:'));
  return [heads, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Formats a figure as a whole number. */
export const figure = (value: number) => Math.round(value).toLocaleString('en');
