import { Injectable } from '@nestjs/common';
import { Database, type Session, type Statement } from 'petstore';

import type { Category } from './category.dto.js';

const INSERT: Statement = {
  name: 'category-insert',
  text: `INSERT INTO category (name) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id, name`,
};

const LIST: Statement = {
  name: 'category-list',
  text: `SELECT id, name FROM category WHERE id > $1 ORDER BY id LIMIT $2`,
};

/** Stores categories. */
@Injectable()
export class CategoriesRepository {
  constructor(private readonly database: Database) {}

  /** Adds a category. Returns undefined if the name exists. */
  async insert(name: string, session: Session = this.database): Promise<Category | undefined> {
    const [category] = await session.query<Category>(INSERT, [name]);
    return category;
  }

  /** Returns up to `limit` categories with ids above `after`, in the order of their ids. */
  list(after: bigint, limit: number): Promise<Category[]> {
    return this.database.query<Category>(LIST, [after, limit]);
  }
}
