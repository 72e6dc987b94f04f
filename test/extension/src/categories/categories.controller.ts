import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  ApiErrors,
  ApiPageResponse,
  type Caller,
  CurrentCaller,
  Idempotent,
  IdempotencyService,
  IdempotentRequest,
  linkNextPage,
  type Page,
  PageQuery,
  REPLAYED,
  Stability,
} from 'petstore';

import { CategoriesService } from './categories.service.js';
import { Category, NewCategory } from './category.dto.js';

@ApiTags('Categories')
@Controller('v1/categories')
export class CategoriesController {
  constructor(
    private readonly categories: CategoriesService,
    private readonly idempotency: IdempotencyService,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List the categories' })
  @Stability('beta')
  @ApiPageResponse('Categories', Category, '/v1/categories?limit=20&after=42')
  @ApiErrors('invalid_request')
  async listCategories(
    @Query() query: PageQuery,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Page<Category>> {
    return linkNextPage(response, await this.categories.list(query.toPageRequest(caller)));
  }

  @Post()
  @ApiOperation({ summary: 'Add a category' })
  @Stability('experimental')
  @ApiCreatedResponse({ type: Category, description: 'The category, with its id.', headers: REPLAYED })
  @Idempotent()
  @ApiErrors('invalid_request', 'payload_too_large', 'conflict')
  createCategory(
    @Body() newCategory: NewCategory,
    @IdempotentRequest() request: IdempotentRequest,
  ): Promise<Category> {
    return this.idempotency.run(request, newCategory, (transaction) =>
      this.categories.create(newCategory, transaction),
    );
  }
}
