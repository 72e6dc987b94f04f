import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Session, Statement } from '../database/session.js';
import type { Table } from '../database/table.js';
import { arrayOfJson } from '../domain/json-array.js';
import { Page } from '../pagination/page.js';
import type { ListPetsQuery, Pet } from './pet.dto.js';

export interface PageRead {
  readonly accountId: bigint;
  readonly query: ListPetsQuery;
}

/** Reads pages that the database writes. All of them have a status, or none has. A page of long texts is undefined. */
export async function readTexts(
  table: Table,
  session: Session,
  statement: Statement,
  reads: PageRead[],
): Promise<(Page<Pet> | undefined)[]> {
  const pages = await session.query<{ text: string | null; nextAfter: bigint | null }>(
    statement,
    slicesOf(reads),
  );
  return pages.map(({ text, nextAfter }) => {
    if (text === null) return undefined;
    const items = arrayOfJson(text, () => table.parse<Pet>(text));
    return new Page(items, nextAfter ?? undefined);
  });
}

/** Reads pages from rows. All of them have a status, or none has. */
export async function readRows(
  table: Table,
  session: Session,
  statement: Statement,
  reads: PageRead[],
): Promise<Page<Pet>[]> {
  const rows = await session.query<Pet & { read: number }>(statement, slicesOf(reads));
  const lists: Pet[][] = reads.map(() => []);
  for (const { read, ...pet } of table.withoutNulls(rows)) lists[read - 1]?.push(pet);
  const pages: Page<Pet>[] = [];
  for (const [index, { query }] of reads.entries()) {
    // To write a page of long texts takes a millisecond, so other requests are served in between.
    await nextTurn();
    pages.push(Page.from(lists[index] ?? [], query.limit));
  }
  return pages;
}

function slicesOf(reads: readonly PageRead[]): unknown[][] {
  const queries = reads.map(({ query }) => query);
  const statuses = queries.flatMap(({ status }) => status ?? []);
  return [
    reads.map(({ accountId }) => accountId),
    queries.map(({ after }) => after),
    queries.map(({ limit }) => limit),
    ...(statuses.length > 0 ? [statuses] : []),
  ];
}
