import { Controller, Get, Module, Param, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiProperty, type OpenAPIObject } from '@nestjs/swagger';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Composition } from '#src/composition/composition';
import { AuthModule } from '#src/auth/auth.module';
import { DomainError } from '#src/domain/domain-error';
import type { ErrorCode } from '#src/domain/error-codes';
import { Idempotent } from '#src/idempotency/idempotent.decorator';
import { Deprecated } from '#src/openapi/decorators/deprecated.decorator';
import { ApiErrors } from '#src/openapi/decorators/api-errors.decorator';

import { type Service, startService } from '../support/service.ts';

/** A body of a request or a response. */
interface Body {
  content?: Record<string, object>;
}

/** The statuses of error codes that no interface declares. */
const STATUSES = { doctor_unknown: 404, doctor_retired: 404, doctor_absent: 422, doctor_asleep: 422 };

class DoctorError extends DomainError {
  constructor(code: keyof typeof STATUSES) {
    super(code as string as ErrorCode, `This is ${code}.`);
  }
}

enum Speed {
  Fast = 'fast',
  Slow = 'slow',
}

/** A field that contains its own class, and fields without examples. */
class Treatment {
  @ApiProperty()
  readonly name!: string;

  @ApiProperty({ minimum: 2 })
  readonly doses!: number;

  @ApiProperty({ enum: Speed, enumName: 'Speed' })
  readonly speed!: Speed;

  @ApiProperty()
  readonly isPaid!: boolean;

  @ApiProperty({ format: 'date-time' })
  readonly at!: string;

  @ApiProperty({ nullable: true, type: String, example: null })
  readonly note!: string | null;

  @ApiProperty({ type: [String] })
  readonly tools!: string[];

  @ApiProperty({ type: () => [Treatment] })
  readonly steps!: Treatment[];

  @ApiProperty({ type: () => Treatment })
  readonly next!: Treatment;
}

const TREATMENT = {
  name: 'string',
  doses: 2,
  speed: 'fast',
  isPaid: true,
  at: '2026-01-31T12:00:00.000Z',
  note: null,
  tools: ['string'],
  steps: [],
};

@Controller('v1/doctors')
class DoctorsController {
  @Get()
  @ApiErrors(new DoctorError('doctor_unknown'), new DoctorError('doctor_retired'))
  listDoctors(): string {
    return 'Dolittle';
  }

  @Get('first')
  @ApiErrors('not_found', new DoctorError('doctor_unknown'))
  getFirstDoctor(): string {
    return 'Dolittle';
  }

  @Post()
  @Idempotent()
  @ApiErrors(new DoctorError('doctor_absent'), new DoctorError('doctor_asleep'))
  callDoctor(): string {
    return 'Dolittle';
  }
}

@Controller('v1/reports')
class ReportsController {
  @Get(':id.pdf')
  getReport(@Param('id') id: string): string {
    return id;
  }

  @Get('draft:from-:to')
  getDrafts(@Param('from') from: string, @Param('to') to: string): string {
    return from + to;
  }

  @Post('archive')
  @Deprecated({ since: '2026-11-19', removal: '2030-12-05', successor: '/v1/reports/summary' })
  @ApiCreatedResponse({ description: 'The archive.' })
  @ApiErrors()
  createArchive(): string {
    return 'created';
  }
}

@Controller('v1/treatments')
class TreatmentsController {
  @Post()
  @ApiBody({ type: Treatment })
  @ApiOkResponse({ type: Treatment })
  treat(): string {
    return 'done';
  }

  @Post('named')
  @ApiBody({ type: Treatment, examples: { bandage: { value: { name: 'bandage' } } } })
  @ApiOkResponse({ type: Treatment, example: { name: 'plaster' } })
  treatByName(): string {
    return 'done';
  }
}

@Module({ controllers: [DoctorsController, ReportsController, TreatmentsController] })
class DoctorsModule {}

let service: Service;
let document: OpenAPIObject;
beforeAll(async () => {
  const errorCodes = STATUSES as unknown as NonNullable<Composition['errorCodes']>;
  service = await startService({}, { features: [AuthModule, DoctorsModule], errorCodes });
  document = JSON.parse((await service.client.get('/openapi.json')).text) as OpenAPIObject;
});
afterAll(() => service.stop());

describe('errors with one status', () => {
  const errorsOf = (path: string, method: 'get' | 'post', status: number) => {
    const response = document.paths[path]?.[method]?.responses[status];
    if (!response || '$ref' in response) throw new Error(`${method} ${path} has no own response ${status}.`);
    return { description: response.description, media: response.content?.['application/json'] };
  };

  test.each([
    ['two codes of a team', '/doctors', 'get', 404, ['doctor_unknown', 'doctor_retired']],
    [
      'a code of the service and one of a team',
      '/doctors/first',
      'get',
      404,
      ['not_found', 'doctor_unknown'],
    ],
    [
      'the code of @Idempotent() and two of a team',
      '/doctors',
      'post',
      422,
      ['idempotency_mismatch', 'doctor_absent', 'doctor_asleep'],
    ],
  ] as const)('are all documented: %s', (_what, path, method, status, codes) => {
    const { description, media } = errorsOf(path, method, status);
    expect(media).not.toHaveProperty('example');
    const expected = codes.map((code) => [
      code,
      { value: expect.objectContaining({ code, status }) as object },
    ]);
    expect(media?.examples).toEqual(Object.fromEntries(expected));
    for (const code of codes) expect(description).toContain(`/docs/errors#${code}`);
  });
});

describe('the examples of bodies', () => {
  const mediaOf = (path: string) => {
    const { requestBody, responses = {} } = document.paths[path]?.post ?? {};
    return [requestBody, responses['200']].map((body) => (body as Body).content?.['application/json']);
  };

  test('have a value for each type, and end where a class contains itself', () => {
    const media = { example: TREATMENT, schema: expect.anything() as object };
    expect(mediaOf('/treatments')).toEqual([media, media]);
  });

  test('are those of the team', () => {
    const schema = expect.anything() as object;
    expect(mediaOf('/treatments/named')).toEqual([
      { examples: { bandage: { value: { name: 'bandage' } } }, schema },
      { example: { name: 'plaster' }, schema },
    ]);
  });
});

test('a deprecated operation documents the headers for the statuses that it has', () => {
  const { responses = {} } = document.paths['/reports/archive']?.post ?? {};
  const successes = Object.keys(responses).filter((status) => Number(status) < 400);
  expect(successes).toEqual(['201']);
  expect(responses['201']).toMatchObject({
    description: 'The archive.',
    headers: { Deprecation: { required: true }, Sunset: { required: true }, Link: { required: true } },
  });
});

describe('the code samples', () => {
  const sampleOf = (from: OpenAPIObject, path: string, method: 'get' | 'post') => {
    const { 'x-codeSamples': samples } = from.paths[path]?.[method] as unknown as {
      'x-codeSamples': { source: string }[];
    };
    return samples[0]?.source ?? '';
  };

  test('have a value for each parameter of the path, and an example of the body', () => {
    expect(sampleOf(document, '/reports/{id}.pdf', 'get')).toContain('/v1/reports/string.pdf');
    expect(sampleOf(document, '/treatments/named', 'post')).toContain('bandage');
  });

  test('send a key, except to public operations', async () => {
    const accounts = JSON.parse((await service.client.get('/openapi-accounts.json')).text) as OpenAPIObject;
    expect(sampleOf(accounts, '/account', 'get')).toContain('Authorization: Bearer <API_KEY>');
    expect(sampleOf(accounts, '/accounts', 'post')).not.toContain('Authorization');
  });
});

test('a path can have parameters that do not fill a segment', async () => {
  const headers = { authorization: `Bearer ${service.client.key ?? ''}` };
  const textOf = async (path: string) => (await fetch(service.url + path, { headers })).text();
  expect(await textOf('/v1/reports/7.pdf')).toBe('7');
  expect(await textOf('/v1/reports/draft1-2')).toBe('12');
  for (const path of ['/v1/reports/7.pdf', '/v1/reports/draft1-2']) {
    const refused = await service.client.send('PUT', path);
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  }
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining(['/reports/{id}.pdf', '/reports/draft{from}-{to}']),
  );
});
