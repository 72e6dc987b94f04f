import { text } from 'node:stream/consumers';

import {
  Body,
  Controller,
  createParamDecorator,
  DefaultValuePipe,
  type ExecutionContext,
  Get,
  Header,
  HttpCode,
  HttpStatus,
  type MessageEvent,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  Param,
  ParseArrayPipe,
  ParseBoolPipe,
  ParseIntPipe,
  Post,
  Query,
  type RawBodyRequest,
  Req,
  Res,
  Sse,
  StreamableFile,
  UploadedFile,
  UseInterceptors,
  UsePipes,
  ValidationPipe,
} from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import { ApiExcludeController } from '@nestjs/swagger';
import { Expose, Transform, Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min, ValidateNested } from 'class-validator';
import express, { type Request, type Response } from 'express';
import { from, of } from 'rxjs';
import { describe, expect, test } from 'vitest';

import { Int64Field } from '#src/http/validation/field.decorators';

import { sendRaw } from '../support/raw-request.ts';
import { FEATURES } from '../support/root.ts';
import { useService } from '../support/service.ts';

const MAX = 9223372036854775807n;

class Owner {
  @IsString()
  readonly name!: string;

  @Int64Field({ example: 7 })
  readonly customerId!: bigint;
}

class NewVisit {
  @Int64Field({ example: 1 })
  readonly petId!: bigint;

  @Expose({ name: 'chip_number' })
  @IsOptional()
  @IsString()
  readonly chipNumber?: string | null;

  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  @IsString()
  readonly reason!: string;

  @IsIn(['low', 'high'])
  readonly urgency: string = 'low';

  @ValidateNested({ each: true })
  @Type(() => Owner)
  readonly owners: Owner[] = [];
}

class Note {
  readonly text!: string;
}

class ListVisitsQuery {
  @Type(() => Number)
  @IsInt()
  @Min(1)
  readonly limit: number = 20;
}

const QueryParameter = createParamDecorator(
  (name: string, context: ExecutionContext) => context.switchToHttp().getRequest<Request>().query[name],
);

const RequestObject = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<Request>(),
);

/** Parameters of handlers, from Nest's chapters on controllers, custom decorators, pipes and validation. */
@ApiExcludeController()
@Controller('visits')
class VisitsController {
  @Post()
  create(@Body() visit: NewVisit) {
    return {
      visit,
      isVisit: visit instanceof NewVisit,
      areOwners: visit.owners.every((o) => o instanceof Owner),
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

  @Get('decorated')
  decorated(@QueryParameter('owner') owner: unknown) {
    return { owner };
  }

  @Get('request')
  request(@RequestObject() { method }: Request) {
    return { method };
  }

  @Post('plain')
  @HttpCode(200)
  plain(@Body() body: unknown, @Req() { rawBody }: RawBodyRequest<Request>) {
    return { body, raw: rawBody?.toString() };
  }

  @Post('many')
  createMany(@Body(new ParseArrayPipe({ items: Owner })) owners: Owner[]) {
    return owners;
  }

  @Post('grams')
  weigh(@Body('grams', ParseIntPipe) grams: number) {
    return { grams };
  }

  @Post('owner')
  changeOwner(@Body('owner') owner: Owner) {
    return { owner, isOwner: owner instanceof Owner };
  }

  @Post('field')
  readField(@Body('field') field: unknown) {
    return { field };
  }

  @Post('notes')
  addNote(@Body() note: Note) {
    return note;
  }

  @Post('strict')
  @UsePipes(
    new ValidationPipe({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      errorHttpStatusCode: HttpStatus.UNPROCESSABLE_ENTITY,
    }),
  )
  createStrictly(@Body() visit: NewVisit) {
    return { visit, isVisit: visit instanceof NewVisit };
  }
}

class Weight {
  @IsInt()
  @Min(1)
  @Max(5000)
  readonly grams!: number;

  @IsOptional()
  @MaxLength(3)
  @IsString()
  readonly unit?: string;
}

@ApiExcludeController()
@Controller('strict')
@UsePipes(new ValidationPipe({ transform: true, errorHttpStatusCode: HttpStatus.CONFLICT }))
class StrictController {
  @Post()
  create(@Body() visit: NewVisit) {
    return visit;
  }
}

/** Pipes of single parameters, from Nest's chapter on validation. */
@ApiExcludeController()
@Controller('weights')
class WeightsController {
  @Post()
  add(@Body() weight: Weight) {
    return weight;
  }

  @Post('strict/:id')
  addStrictly(
    @Param('id', new ValidationPipe({ transform: true })) id: number,
    @Body(new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true }))
    weight: Weight,
    @Query() query: ListVisitsQuery,
  ) {
    return { id, weight, isWeight: weight instanceof Weight, query };
  }
}

/** Responses, from Nest's chapters on controllers, streaming files and server-sent events. */
@ApiExcludeController()
@Controller('reports')
class ReportsController {
  @Get('express')
  answerItself(@Res() response: Response): void {
    response.status(203).json({ id: MAX });
  }

  @Get('passthrough')
  setHeaders(@Res({ passthrough: true }) response: Response) {
    response.status(202).set('X-Report', 'yes').cookie('seen', 'yes');
    return { text: 'Some' };
  }

  @Get('csv')
  @Header('Content-Type', 'text/csv')
  csv(): string {
    return 'name,weight\nTom,4\n';
  }

  @Post('empty')
  @HttpCode(204)
  empty(): void {
    // Sends a response without a body.
  }

  @Get('file')
  file(): StreamableFile {
    return new StreamableFile(Buffer.from('%PDF'), { type: 'application/pdf', disposition: 'attachment' });
  }

  @Sse('events')
  events() {
    const events: MessageEvent[] = [
      { type: 'visit', id: 'a', data: { petId: MAX, name: 'Tom' } },
      { data: 'text', retry: 10 },
    ];
    return from(events);
  }

  @Get('values')
  values() {
    const owner = { toJSON: () => ({ customerId: MAX }) };
    return of({ id: MAX, at: new Date(0), ids: [1n, -1n], total: 0.5, owner, none: undefined, null: null });
  }
}

/** Bodies other than JSON, from Nest's chapter on file uploads. */
@ApiExcludeController()
@Controller('uploads')
class UploadsController {
  @Post('image')
  @UseInterceptors(FileInterceptor('image', { limits: { fileSize: 100_000 } }))
  upload(@UploadedFile() image: { originalname: string; size: number }, @Body() note: Note) {
    return { note, file: image.originalname, size: image.size };
  }

  @Post('stream')
  async stream(@Req() request: Request) {
    return { length: (await text(request)).length };
  }

  /** The module parses the body with `express.urlencoded()`. */
  @Post('form')
  form(@Body() note: Note) {
    return note;
  }

  /** The module parses the body with `express.raw()`. */
  @Post('signed')
  signed(@Body() body: Buffer) {
    return { isBuffer: Buffer.isBuffer(body), text: body.toString() };
  }
}

@Module({
  controllers: [VisitsController, StrictController, WeightsController, ReportsController, UploadsController],
})
class ClinicModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer
      .apply(express.urlencoded())
      .forRoutes('uploads/form')
      .apply(express.raw({ type: '*/*', limit: 1000 }))
      .forRoutes('uploads/signed');
  }
}

const service = useService({}, [...FEATURES, ClinicModule]);

const get = (path: string, headers: Record<string, string> = {}) => service.client.get(path, { headers });
const post = (path: string, json: unknown) => service.client.post(path, json);
const send = (path: string, rawBody: string, type: string) =>
  service.client.send('POST', path, { rawBody, headers: { 'content-type': type } });

/** Sends a request whose body `fetch` encodes. */
const fetchRaw = (path: string, init: RequestInit) =>
  fetch(service.url + path, {
    headers: { authorization: `Bearer ${service.client.key ?? ''}` },
    ...init,
  });

const refused = (message: string, status = 400, code = 'invalid_request') => ({
  status,
  body: { code, message, status: BigInt(status) },
});

const VISIT = { petId: 1, reason: 'limps' };

describe('@Body() with a DTO class', () => {
  test('is an instance with exact integers, defaults and transformed fields, without fields that have no decorator', async () => {
    const owners = [{ name: 'Ann', customerId: MAX, vip: true }];
    const visit = { petId: MAX, reason: '  limps ', chip_number: null, owners, paid: true };
    expect((await post('/visits', visit)).body).toEqual({
      isVisit: true,
      areOwners: true,
      visit: {
        petId: MAX,
        reason: 'limps',
        chipNumber: null,
        urgency: 'low',
        owners: [{ name: 'Ann', customerId: MAX }],
      },
    });
  });

  test.each<[string, object, string]>([
    ['a missing string', { reason: undefined }, 'reason must be a string.'],
    [
      'a value outside of its list',
      { urgency: 'x' },
      'urgency must be one of the following values: low, high.',
    ],
    [
      'a nested field, whose rule is ours',
      { owners: [{ name: 'Ann', customerId: 0.5 }] },
      `owners.0.customerId must be an integer from ${-MAX - 1n} to ${MAX}, not 0.5.`,
    ],
  ])('refuses %s', async (_what, fields, message) => {
    expect(await post('/visits', { ...VISIT, ...fields })).toMatchObject(refused(message));
  });

  test('is the unchanged body if the class has no rules', async () => {
    expect((await post('/visits/notes', { text: 'Eats.', stars: 5 })).body).toEqual({
      text: 'Eats.',
      stars: 5n,
    });
  });
});

describe('a ValidationPipe', () => {
  test('of a handler has its own options', async () => {
    expect(await post('/visits/strict', { ...VISIT, petId: MAX })).toMatchObject({
      status: 201,
      body: { isVisit: true, visit: { petId: MAX, urgency: 'low' } },
    });
    const unknown = refused('property paid should not exist.', 422, 'unprocessable_entity');
    expect(await post('/visits/strict', { ...VISIT, paid: true })).toMatchObject(unknown);
    const nul = refused('reason must not contain the character U+0000.');
    expect(await post('/visits/strict', { ...VISIT, reason: '\0' })).toMatchObject(nul);
  });

  test('of a controller has its own options', async () => {
    expect((await post('/strict', { ...VISIT, paid: true })).body).toMatchObject({ paid: true });
    const conflict = refused('reason must be a string.', 409, 'conflict');
    expect(await post('/strict', { petId: 1 })).toMatchObject(conflict);
  });
});

describe('a ValidationPipe of a parameter', () => {
  test('validates it by its own options, and the service the other parameters', async () => {
    expect(await post('/weights/strict/7?limit=5&other=1', { grams: 5 })).toMatchObject({
      status: 201,
      body: { id: 7n, weight: { grams: 5n }, isWeight: true, query: { limit: 5n } },
    });
    const unknown = refused('property paid should not exist.');
    expect(await post('/weights/strict/7', { grams: 5, paid: true })).toMatchObject(unknown);
    const limit = refused('limit must not be less than 1.');
    expect(await post('/weights/strict/7?limit=0', { grams: 5 })).toMatchObject(limit);
    expect((await post('/weights', { grams: 5, paid: true })).body).toEqual({ grams: 5n });
  });
});

test.each([
  [{ grams: '4' }, 'grams must be an integer number.'],
  [{ grams: 6000 }, 'grams must not be greater than 5000.'],
  [{ grams: 4, unit: 5 }, 'unit must be a string.'],
  [{ unit: 'grams' }, 'grams must be an integer number. unit must be shorter than or equal to 3 characters.'],
])('one error of each field is reported, first that of its type: %o', async (weight, message) => {
  expect(await post('/weights', weight)).toMatchObject(refused(message));
});

describe('other parameters of a handler', () => {
  test('@Body() without a class is any JSON value, or absent, beside the raw body', async () => {
    for (const body of [{ a: [1n] }, [1n], 'text', 5n, true, null]) {
      expect(await post('/visits/plain', body)).toMatchObject({ status: 200, body: { body } });
    }
    expect(await service.client.send('POST', '/visits/plain')).toMatchObject({ status: 200, body: {} });
    expect(await send('/visits/plain', '[1.0]', 'application/json')).toMatchObject({
      body: { raw: '[1.0]' },
    });
  });

  test('@Body() with ParseArrayPipe is an array of instances', async () => {
    expect((await post('/visits/many', [{ name: 'Ann', customerId: MAX }])).body).toEqual([
      { name: 'Ann', customerId: MAX },
    ]);
    expect((await post('/visits/many', [{ name: 5, customerId: 7 }])).status).toBe(400);
  });

  test('@Body(field) is one field, with a pipe or with a class', async () => {
    expect((await post('/visits/grams', { grams: '4000' })).body).toEqual({ grams: 4000n });
    const message = 'Validation failed (numeric string is expected)';
    expect(await post('/visits/grams', { grams: 'four' })).toMatchObject(refused(message));
    const owner = { name: 'Ann', customerId: MAX };
    expect((await post('/visits/owner', { owner })).body).toEqual({ owner, isOwner: true });
    expect((await post('/visits/owner', { owner: {} })).status).toBe(400);
  });

  test('@Query() has the values of its pipes or its class', async () => {
    expect((await get('/visits/page')).body).toEqual({ page: 1n, all: false });
    expect((await get('/visits/page?page=3&all=true&size=5')).body).toEqual({
      page: 3n,
      all: true,
      size: 5n,
    });
    expect((await get('/visits/page?page=two')).status).toBe(400);
    expect((await get('/visits?limit=5&other=1')).body).toEqual({ limit: 5n });
    expect(await get('/visits?limit=0')).toMatchObject(refused('limit must not be less than 1.'));
  });

  test('a custom decorator can return the request, or any text that PostgreSQL can store', async () => {
    expect((await get('/visits/request')).body).toEqual({ method: 'GET' });
    expect((await get('/visits/decorated?owner=Ann')).body).toEqual({ owner: 'Ann' });
    const message = 'owner must not contain the character U+0000.';
    expect(await get('/visits/decorated?owner=%00')).toMatchObject(refused(message));
  });
});

describe('responses', () => {
  test('@Res() leaves the response to the handler, or only its headers and status', async () => {
    expect(await get('/reports/express')).toMatchObject({ status: 203, body: { id: MAX } });
    const answer = await get('/reports/passthrough');
    expect(answer).toMatchObject({ status: 202, body: { text: 'Some' } });
    expect(answer.headers.get('x-report')).toBe('yes');
    expect(answer.headers.get('set-cookie')).toBe('seen=yes; Path=/');
  });

  test('a string has the content type of @Header(), and a file its own', async () => {
    const csv = await get('/reports/csv');
    expect([csv.text, csv.headers.get('content-type')]).toEqual([
      'name,weight\nTom,4\n',
      'text/csv; charset=utf-8',
    ]);
    const file = await get('/reports/file');
    expect([file.text, file.headers.get('content-type')]).toEqual(['%PDF', 'application/pdf']);
  });

  test('@HttpCode() works with a handler that returns nothing', async () => {
    expect(await post('/reports/empty', {})).toMatchObject({ status: 204, text: '' });
  });

  test('@Sse() sends events with exact integers', async () => {
    const answer = await get('/reports/events');
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    const first = `event: visit\nid: a\ndata: {"petId":${MAX},"name":"Tom"}\n\n`;
    expect(answer.text.trimStart()).toMatch(new RegExp(`^${first}id: 1\nretry: 10\ndata: text\n\n$`));
  });

  test('an Observable, bigints, dates and objects with toJSON are serialized', async () => {
    expect((await get('/reports/values')).text).toBe(
      `{"id":${MAX},"at":"1970-01-01T00:00:00.000Z","ids":[1,-1],"total":0.5,"owner":{"customerId":${MAX}},"null":null}`,
    );
  });
});

describe('bodies other than JSON', () => {
  test('FileInterceptor reads a file and other fields', async () => {
    const upload = async (size: number) => {
      const body = new FormData();
      body.set('image', new Blob(['x'.repeat(size)]), 'tom.png');
      body.set('text', 'Paw');
      const response = await fetchRaw('/uploads/image', { method: 'POST', body });
      return [response.status, await response.json()];
    };
    expect(await upload(4000)).toEqual([201, { note: { text: 'Paw' }, file: 'tom.png', size: 4000 }]);
    const message = 'File too large';
    expect(await upload(200_000)).toEqual([413, { code: 'payload_too_large', message, status: 413 }]);
  });

  test('a handler can read the request as a stream', async () => {
    const answer = await send('/uploads/stream', 'x'.repeat(1_000_000), 'text/plain');
    expect(answer.body).toEqual({ length: 1_000_000n });
  });

  test('a module can parse a body with middleware', async () => {
    const form = await send('/uploads/form', 'text=Paw', 'application/x-www-form-urlencoded');
    expect(form.body).toEqual({ text: 'Paw' });
    for (const type of ['application/xml', 'application/json']) {
      expect((await send('/uploads/signed', '<a>', type)).body).toEqual({ isBuffer: true, text: '<a>' });
      expect((await send('/uploads/signed', 'x'.repeat(1001), type)).status).toBe(413);
    }
  });

  test.each(['/v1/pets', '/visits', '/visits/strict', '/visits/plain', '/visits/field', '/visits/many'])(
    '@Body() refuses a content type that the service does not read: %s',
    async (path) => {
      const help = 'Send a JSON object in UTF-8 with the Content-Type application/json.';
      for (const type of ['text/plain', 'application/json; charset=latin1']) {
        const message = `The body has the content type "${type}". ${help}`;
        expect(await send(path, '{}', type)).toMatchObject(refused(message));
      }
      const response = await fetchRaw(path, { method: 'POST', body: Buffer.from('{}') });
      expect(await response.json()).toMatchObject({ message: `The body has no content type. ${help}` });
    },
  );

  test('the body of a request without a key is not waited for', async () => {
    const lines = ['POST /uploads/stream HTTP/1.1', 'Host: a', 'Content-Length: 1000000', '', ''];
    expect((await sendRaw(service.url, lines.join('\r\n'))).status).toBe(401);
  });
});
