import { Controller, Get, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Answers,
  AnswersPage,
  type AuthenticatedRequest,
  ApiErrors,
  Idempotency,
  Idempotent,
  JsonBody,
  type Page,
  REPLAYED,
  Stability,
  ValidQuery,
} from 'petstore';

import { CategoriesService } from './categories.service.js';
import { Category, ListCategoriesQuery, NewCategory } from './category.dto.js';

@ApiTags('Categories')
@Controller('v1/categories')
export class CategoriesController {
  constructor(
    private readonly categories: CategoriesService,
    private readonly idempotency: Idempotency,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List the categories' })
  @Stability('beta')
  @AnswersPage('Categories', Category, '/v1/categories?limit=20&after=42')
  @ApiErrors('invalid_request')
  listCategories(@ValidQuery() query: ListCategoriesQuery): Promise<Page<Category>> {
    return this.categories.list(query);
  }

  @Post()
  @ApiOperation({ summary: 'Add a category' })
  @Stability('experimental')
  @Answers(201, Category, 'The category, with its id.', REPLAYED)
  @Idempotent()
  @ApiErrors('invalid_request', 'payload_too_large', 'conflict')
  createCategory(
    @JsonBody() newCategory: NewCategory,
    @Req() request: AuthenticatedRequest,
  ): Promise<Category> {
    return this.idempotency.once(request, newCategory, (transaction) =>
      this.categories.create(newCategory, transaction),
    );
  }
}
