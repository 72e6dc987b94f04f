import pMap from 'p-map';

import { Batch } from '../database/batch.js';
import type { Engine } from '../database/engine.js';
import type { Session, Statement } from '../database/session.js';
import { Page } from '../pagination/page.js';
import type { Pet, PetPageRequest } from './pet.dto.js';
import { PET_COLUMNS, type PetEntity, toPet } from './pet.entity.js';

const LIST: Statement = {
  name: 'pet-list',
  text: `SELECT ${PET_COLUMNS} FROM pet WHERE id > $1 ORDER BY id LIMIT $2`,
};

// ORDER BY status makes the planner use the index on (status, id). Otherwise it may walk the primary key, past all
// animals of other statuses.
const LIST_BY_STATUS: Statement = {
  name: 'pet-list-by-status',
  text: `SELECT ${PET_COLUMNS} FROM pet
         WHERE status = ANY (ARRAY[$3::text]) AND id > $1 ORDER BY status, id LIMIT $2`,
};

// Several slices in one statement. The planner uses the same plan for each as for a single slice.
const LISTS: Statement = {
  name: 'pet-lists',
  text: `SELECT slice.number::int, page.*
         FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS slice (after, count, number)
         CROSS JOIN LATERAL (
           SELECT ${PET_COLUMNS} FROM pet WHERE id > slice.after ORDER BY id LIMIT slice.count
         ) AS page
         ORDER BY slice.number, page.id`,
};

const LISTS_BY_STATUS: Statement = {
  name: 'pet-lists-by-status',
  text: `SELECT slice.number::int, page.*
         FROM unnest($1::bigint[], $2::bigint[], $3::text[]) WITH ORDINALITY AS slice (after, count, status, number)
         CROSS JOIN LATERAL (
           SELECT ${PET_COLUMNS} FROM pet
           WHERE status = ANY (ARRAY[slice.status]) AND id > slice.after ORDER BY status, id LIMIT slice.count
         ) AS page
         ORDER BY slice.number, page.id`,
};

/** A part of the list of animals: up to `limit` animals with ids above `after`, with a status if one is given. */
type PetSlice = Omit<PetPageRequest, 'accountId'>;

/** An animal with the number of its slice, from 1. */
type NumberedRow = PetEntity & { number: number };

/** The maximum number of animals that one run reads. It limits the memory for animals with long names. */
const MAX_RUN_ROWS = 400;

/** The number of slices that are read at a time on Citus, which does not support the statements for several slices. */
const CITUS_CONCURRENCY = 4;

/** Lists of animals on one server. Lists that are requested at about the same time are read together. */
export class PetLists {
  private readonly ofAnyStatus = this.batch('pet-list');
  private readonly byStatus = this.batch('pet-list-by-status');

  constructor(
    private readonly session: Session,
    private readonly engine: Engine,
  ) {}

  /** Reads a page of animals. Equal slices that are read together share the same object. */
  list(slice: PetSlice): Promise<Page<Pet>> {
    return (slice.status === undefined ? this.ofAnyStatus : this.byStatus).add(slice);
  }

  private batch(name: string): Batch<PetSlice, Page<Pet>> {
    return new Batch(name, (slices: PetSlice[]) => this.listTogether(slices), { countForRun });
  }

  private async listTogether(slices: PetSlice[]): Promise<Page<Pet>[]> {
    const longest = [...longestByStart(slices)];
    const lists = await this.readAll(longest.map(([, slice]) => slice));
    const longestPages = new Map(
      longest.map(([start, { limit }], index) => [start, Page.from(lists[index] ?? [], limit)]),
    );
    const pages = new Map<string, Page<Pet>>();
    return slices.map((slice) => {
      const start = startOf(slice);
      const key = `${start} ${slice.limit}`;
      const longestPage = longestPages.get(start) ?? Page.from<Pet>([], slice.limit);
      const page = pages.get(key) ?? Page.shorten(longestPage, slice.limit);
      pages.set(key, page);
      return page;
    });
  }

  /** Reads the animals of each slice, and one more if there is one. All slices have a status, or none has. */
  private async readAll(slices: PetSlice[]): Promise<Pet[][]> {
    if (this.engine === 'citus')
      return pMap(slices, (slice) => this.read(slice), { concurrency: CITUS_CONCURRENCY });
    const [first] = slices;
    if (first && slices.length === 1) return [await this.read(first)];
    const afters = slices.map(({ after }) => after);
    const counts = slices.map(({ limit }) => limit + 1);
    const statuses = slices.flatMap(({ status }) => status ?? []);
    const rows =
      statuses.length > 0
        ? await this.session.query<NumberedRow>(LISTS_BY_STATUS, [afters, counts, statuses])
        : await this.session.query<NumberedRow>(LISTS, [afters, counts]);
    const lists: Pet[][] = slices.map(() => []);
    for (const row of rows) lists[row.number - 1]?.push(toPet(row));
    return lists;
  }

  private async read({ status, after, limit }: PetSlice): Promise<Pet[]> {
    const rows = status
      ? await this.session.query<PetEntity>(LIST_BY_STATUS, [after, limit + 1, status])
      : await this.session.query<PetEntity>(LIST, [after, limit + 1]);
    return rows.map(toPet);
  }
}

/** Returns the longest slice of those with the same start. The others are parts of it. */
function longestByStart(slices: readonly PetSlice[]): Map<string, PetSlice> {
  const longest = new Map<string, PetSlice>();
  for (const slice of slices) {
    const start = startOf(slice);
    if (slice.limit > (longest.get(start)?.limit ?? 0)) longest.set(start, slice);
  }
  return longest;
}

function startOf({ status, after }: PetSlice): string {
  return `${status ?? 'any'} ${after}`;
}

/** Returns the number of slices that one run reads. */
function countForRun(slices: readonly PetSlice[]): number {
  const limits = new Map<string, number>();
  let rows = 0;
  const firstTooMany = slices.findIndex((slice) => {
    const start = startOf(slice);
    const known = limits.get(start) ?? 0;
    const limit = Math.max(known, slice.limit);
    limits.set(start, limit);
    rows += limit - known;
    return rows > MAX_RUN_ROWS;
  });
  return firstTooMany < 0 ? slices.length : firstTooMany;
}
