import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  ApiErrors,
  ApiPageResponse,
  BODY_ERRORS,
  Idempotent,
  IdempotencyService,
  IdempotentRequest,
  InvalidRequest,
  NotFound,
  PageQuery,
  REPLAYED,
  sendPage,
  Stability,
} from 'petstore';

import { Intake, NewIntake, NewVisit, Visit } from './visit.dto.js';
import { VisitInPast, VisitTaken } from './visit.errors.js';
import { VisitsService } from './visits.service.js';

@ApiTags('Visits')
@Controller('v1/visits')
export class VisitsController {
  constructor(
    private readonly visits: VisitsService,
    private readonly idempotency: IdempotencyService,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List the visits' })
  @Stability('beta')
  @ApiPageResponse('Visits', Visit, '/v1/visits?limit=20&after=42')
  @ApiErrors(new InvalidRequest('limit must be a whole number from 1 to 100, in digits, not 0.'))
  async listVisits(
    @Query() query: PageQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<readonly Visit[]> {
    return sendPage(response, query, await this.visits.list(query));
  }

  @Post()
  @ApiOperation({ summary: 'Book a visit' })
  @Stability('beta')
  @ApiCreatedResponse({ type: Visit, description: 'The visit, with its id.', headers: REPLAYED })
  @Idempotent()
  @ApiErrors(
    ...[new InvalidRequest('reason is required.'), new NotFound('animal', 1n)],
    ...[new VisitTaken(), new VisitInPast(), ...BODY_ERRORS],
  )
  createVisit(@Body() newVisit: NewVisit, @IdempotentRequest() request: IdempotentRequest): Promise<Visit> {
    const book = this.visits.book.bind(this.visits, request.accountId, newVisit);
    return this.idempotency.runInTransaction(request, newVisit, book);
  }

  @Post('intakes')
  @ApiOperation({ summary: 'Add an animal and its first visit' })
  @Stability('experimental')
  @ApiCreatedResponse({ type: Intake, description: 'The animal and its visit.', headers: REPLAYED })
  @Idempotent()
  @ApiErrors(new InvalidRequest('pet.name is required.'), new VisitInPast(), ...BODY_ERRORS)
  createIntake(
    @Body() newIntake: NewIntake,
    @IdempotentRequest() request: IdempotentRequest,
  ): Promise<Intake> {
    const admit = this.visits.admit.bind(this.visits, request.accountId, newIntake);
    return this.idempotency.runInTransaction(request, newIntake, admit);
  }
}
