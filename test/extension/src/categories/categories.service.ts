import { Injectable } from '@nestjs/common';
import { Page, type PageRequest, type Transaction } from 'petstore';

import { CategoriesRepository } from './categories.repository.js';
import type { Category, NewCategory } from './category.dto.js';
import { CategoryExists } from './category.errors.js';

/** The rules about categories. */
@Injectable()
export class CategoriesService {
  constructor(private readonly categories: CategoriesRepository) {}

  /** Returns a page of categories in the order of their ids. */
  async list({ after, limit }: PageRequest): Promise<Page<Category>> {
    return Page.from(await this.categories.list(after, limit + 1), limit);
  }

  /** @throws CategoryExists */
  async create({ name }: NewCategory, transaction?: Transaction): Promise<Category> {
    const category = await this.categories.insert(name, transaction);
    if (!category) throw new CategoryExists(name);
    return category;
  }
}
