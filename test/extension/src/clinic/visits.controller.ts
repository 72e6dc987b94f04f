import {
  Body,
  Controller,
  DefaultValuePipe,
  Get,
  Headers,
  HttpCode,
  HttpStatus,
  Param,
  ParseArrayPipe,
  ParseBoolPipe,
  ParseIntPipe,
  Post,
  Put,
  Query,
  Req,
  UseGuards,
  UseInterceptors,
  UsePipes,
  ValidationPipe,
} from '@nestjs/common';
import type { Request } from 'express';
import { type Caller, CurrentCaller } from 'petstore';

import { EnvelopeInterceptor } from './envelope.interceptor.js';
import { OwnSignatureGuard } from './own-signature.guard.js';
import { VisitMetrics } from './visit.metrics.js';
import { ListVisitsQuery, NewVisit, Note, Owner, TreatmentParams } from './visit.dto.js';

/** Parameters from Nest's chapters on controllers, pipes and validation. */
@Controller('clinic/visits')
export class VisitsController {
  constructor(private readonly metrics: VisitMetrics) {}

  @Post()
  create(@Body() newVisit: NewVisit) {
    this.metrics.visits.inc({ urgency: newVisit.urgency });
    return {
      newVisit,
      isNewVisit: newVisit instanceof NewVisit,
      isReadOnly: Object.isFrozen(newVisit),
      doses: newVisit.treatments.reduce((sum, { doses }) => sum + doses, 0),
    };
  }

  @Get()
  list(@Query() query: ListVisitsQuery) {
    return query;
  }

  @Get('page')
  page(
    @Query('page', new DefaultValuePipe(1), ParseIntPipe) page: number,
    @Query('all', new DefaultValuePipe(false), ParseBoolPipe) all: boolean,
    @Query('size') size: number,
  ) {
    return { page, all, size };
  }

  @Get('search')
  search(@Query() query: Record<string, string>) {
    return query;
  }

  @Post('plain')
  @HttpCode(200)
  plain(@Body() body: unknown) {
    return { body };
  }

  @Post('many')
  createMany(@Body(new ParseArrayPipe({ items: Owner })) owners: Owner[]) {
    return { areOwners: owners.every((owner) => owner instanceof Owner), owners };
  }

  @Put(':id/weight')
  weigh(@Param('id', ParseIntPipe) id: number, @Body('grams', ParseIntPipe) grams: number) {
    return { id, grams };
  }

  @Put(':id/owner')
  changeOwner(@Param('id') id: string, @Body('owner') owner: Owner) {
    return { id, isOwner: owner instanceof Owner, owner };
  }

  @Post(':id/notes')
  addNote(@Param('id') id: string, @Body() note: Note) {
    return { id, note };
  }

  @Get(':visitId/treatments/:index')
  treatment(@Param() params: TreatmentParams) {
    return params;
  }

  @Get(':visitId/owners/:owner')
  ownerOfVisit(@Param() params: Record<string, string>, @Query() query: unknown) {
    return { params, query };
  }

  @Put(':id/strict')
  @UsePipes(new ValidationPipe({ transform: true, errorHttpStatusCode: HttpStatus.CONFLICT }))
  replace(
    @Param('id', new ParseIntPipe({ errorHttpStatusCode: HttpStatus.NOT_ACCEPTABLE })) id: number,
    @Body(new ValidationPipe({ transform: true })) newVisit: NewVisit,
  ) {
    return { id, newVisit };
  }

  @Post('signed')
  @UseGuards(OwnSignatureGuard)
  sign(@CurrentCaller() { account }: Caller) {
    return { accountId: account.id };
  }

  @Get('caller')
  @UseInterceptors(EnvelopeInterceptor)
  caller(
    @CurrentCaller() { account }: Caller,
    @Headers('x-till') till: string,
    @Headers() headers: Record<string, string>,
    @Req() request: Request,
  ) {
    return { accountId: account.id, till, accept: headers['accept'], path: request.path };
  }
}
