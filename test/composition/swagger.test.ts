import {
  All,
  Body,
  Controller,
  Get,
  Head,
  Module,
  Options,
  Post,
  QueryMethod,
  Search,
  type Type,
} from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiCookieAuth,
  ApiExtraModels,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiWebhook,
  ApiProperty,
  DocumentBuilder,
  getSchemaPath,
  type OpenAPIObject,
  SwaggerModule,
} from '@nestjs/swagger';
import { describe, expect, onTestFinished, test } from 'vitest';

import { AuthModule } from '#src/auth/auth.module';
import type { Composition } from '#src/composition/composition';
import { Int64Field } from '#src/http/validation/field.decorators';
import { ApiErrors } from '#src/openapi/decorators/api-errors.decorator';
import { ApiPageResponse } from '#src/openapi/decorators/api-responses.decorator';
import { Deprecated } from '#src/openapi/decorators/deprecated.decorator';
import { CursorParam } from '#src/pagination/query-param.decorators';
import { NewPet } from '#src/pets/pet.dto';
import { PetsModule } from '#src/pets/pets.module';
import { createTestApp } from '#src/testing/create-test-app';

/** Starts a service with controllers of a team, and returns its address. */
async function start(controllers: Type[], composition: Composition = {}): Promise<string> {
  @Module({ controllers })
  class TeamModule {}
  const app = await createTestApp({ features: [AuthModule, PetsModule, TeamModule], ...composition });
  onTestFinished(() => app.close());
  await app.listen(0, '127.0.0.1');
  return app.getUrl();
}

async function fetchDocument(url: string, path = '/openapi.json'): Promise<OpenAPIObject> {
  const response = await fetch(url + path);
  expect(response.status).toBe(200);
  return (await response.json()) as OpenAPIObject;
}

describe('fields of int64', () => {
  class Toy {
    @Int64Field({ example: 1 })
    readonly id!: bigint;

    @CursorParam()
    readonly after?: bigint;
  }

  @Controller('v1/toys')
  class ToysController {
    @Post()
    createToy(@Body() toy: Toy): Toy {
      return toy;
    }
  }

  test('are in a document that the team creates with SwaggerModule', async () => {
    const url = await start([ToysController], {
      configure: (app) => {
        const document = SwaggerModule.createDocument(app, new DocumentBuilder().build());
        SwaggerModule.setup('team-docs', app, document);
      },
    });
    const { components } = await fetchDocument(url, '/team-docs-json');
    expect(components?.schemas?.['Pet']).toMatchObject({
      properties: { id: { type: 'integer', format: 'int64', example: 1 } },
    });
  });

  test('have their exact bounds in the published document', async () => {
    const text = await (await fetch(`${await start([ToysController])}/openapi.json`)).text();
    const [toy = ''] = /"Toy": \{.*?"required"/s.exec(text) ?? [];
    expect(toy).toContain('"minimum": -9223372036854775808');
    expect(toy).toContain('"minimum": 0');
    expect(toy.split('"maximum": 9223372036854775807')).toHaveLength(3);
  });
});

describe('operations with further methods', () => {
  @Controller('v1/doors')
  class DoorsController {
    @Head('front')
    @Deprecated({ since: '2026-11-19', removal: '2030-12-05', successor: '/v1/doors/any' })
    @ApiErrors('not_found')
    lookAtFrontDoor(): void {
      // The response has no body.
    }

    @Options('back')
    @ApiErrors()
    describeBackDoor(): string {
      return 'open';
    }

    @All('any')
    @ApiErrors()
    useAnyDoor(): string {
      return 'open';
    }

    @Search('hidden')
    @ApiErrors()
    searchDoor(): string {
      return 'found';
    }

    @QueryMethod('glass')
    @ApiErrors()
    queryDoor(): string {
      return 'seen through';
    }
  }

  test('are complete in the document, without those that OpenAPI lacks', async () => {
    const { paths } = await fetchDocument(await start([DoorsController]));
    const doors = Object.entries(paths).filter(([path]) => path.startsWith('/doors'));
    const methods = doors.map(([path, item]) => [path, Object.keys(item).sort()]);
    expect(Object.fromEntries(methods)).toEqual({
      '/doors/front': ['head'],
      '/doors/back': ['options'],
      '/doors/any': ['delete', 'get', 'head', 'options', 'patch', 'post', 'put'],
    });
    for (const operation of doors.flatMap(([, item]) => Object.values(item) as object[])) {
      expect(operation).toHaveProperty('x-codeSamples');
    }
    expect(paths['/doors/front']?.head).toHaveProperty('deprecated', true);
    expect(paths['/doors/front']?.head).not.toHaveProperty('x-deprecation-headers');
  });

  test('are in Allow', async () => {
    const url = await start([DoorsController]);
    const allowOf = async (path: string, method: string) => {
      const { status, headers } = await fetch(`${url}/v1/doors/${path}`, { method });
      return [status, headers.get('allow')];
    };
    expect(await allowOf('front', 'GET')).toEqual([405, 'HEAD']);
    expect(await allowOf('front', 'OPTIONS')).toEqual([204, 'HEAD']);
    expect(await allowOf('back', 'GET')).toEqual([405, 'OPTIONS']);
    expect(await allowOf('hidden', 'GET')).toEqual([405, 'SEARCH']);
    expect(await allowOf('glass', 'GET')).toEqual([405, 'QUERY']);
  });
});

describe('a title of a schema', () => {
  class Toy {
    @ApiProperty()
    readonly name!: string;
  }

  @Controller('v1/toys')
  class ToysController {
    @Get()
    @ApiPageResponse('Toys', Toy, '/v1/toys?after=20')
    listToys(): Toy[] {
      return [];
    }

    @Get('first')
    @ApiOkResponse({ type: Toy })
    getFirstToy(): Toy {
      return new Toy();
    }

    @Get('count')
    @ApiOkResponse({ schema: { title: 'Toy', type: 'integer' } })
    countToys(): number {
      return 0;
    }

    @Get('names')
    @ApiOkResponse({ schema: { title: 'Names of toys/all', type: 'array', items: { type: 'string' } } })
    listNames(): string[] {
      return [];
    }
  }

  test('stays inline, and replaces no class of the same name', async () => {
    const { paths, components } = await fetchDocument(await start([ToysController]));
    const schemaOf = (path: string) => {
      const { '200': response } = paths[path]?.get?.responses ?? {};
      return response && 'content' in response && response.content['application/json']?.schema;
    };
    expect(schemaOf('/toys/count')).toEqual({ title: 'Toy', type: 'integer' });
    expect(schemaOf('/toys/names')).toMatchObject({ title: 'Names of toys/all' });
    expect(schemaOf('/toys/first')).toEqual({ $ref: '#/components/schemas/Toy' });
    expect(components?.schemas?.['Toy']).toMatchObject({ properties: { name: { type: 'string' } } });
    expect(schemaOf('/toys')).toEqual({ $ref: '#/components/schemas/Toys' });
    expect(components?.schemas?.['Toys']).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/Toy' },
      maxItems: 100,
    });
  });
});

describe('the document has', () => {
  class Toy {
    @ApiProperty({ example: 'ball' })
    readonly name!: string;
  }

  class Shelf {
    @ApiProperty({ type: [Toy] })
    readonly toys!: Toy[];
  }

  class Secret {
    @ApiProperty()
    readonly text!: string;
  }

  @Controller()
  @ApiExtraModels(Shelf)
  class ToysController {
    @Get('v1/toys')
    countToys(): number {
      return 0;
    }

    @Post('toys/added')
    @ApiWebhook('toyAdded')
    toyAdded(@Body() toy: Toy): Toy {
      return toy;
    }

    @Get('secrets')
    @ApiOkResponse({ type: Secret })
    getSecret(): Secret {
      return new Secret();
    }
  }

  test('the models of @ApiExtraModels()', async () => {
    const { components } = await fetchDocument(await start([ToysController]));
    expect(components?.schemas).toHaveProperty('Shelf');
    expect(components?.schemas).toHaveProperty('Toy');
  });

  test('no models of operations that it does not have', async () => {
    const url = await start([ToysController]);
    const { components } = await fetchDocument(url);
    expect(components?.schemas).not.toHaveProperty('Secret');
    expect(components?.schemas).not.toHaveProperty('Account');
    const accounts = await fetchDocument(url, '/openapi-accounts.json');
    expect(accounts.components?.schemas).not.toHaveProperty('Shelf');
    expect(accounts).not.toHaveProperty('webhooks');
  });

  test('the webhooks of @ApiWebhook()', async () => {
    const { paths, webhooks } = await fetchDocument(await start([ToysController]));
    expect(webhooks).toEqual({
      toyAdded: {
        post: {
          operationId: 'toyAdded',
          parameters: [],
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: { $ref: '#/components/schemas/Toy' }, example: { name: 'ball' } },
            },
          },
          responses: { 201: expect.anything() as object },
        },
      },
    });
    expect(Object.keys(paths).filter((path) => path.includes('toys'))).toEqual(['/toys']);
  });

  test('no second schema of a class that replaces another one', async () => {
    class NewChippedPet extends NewPet {}
    const dtos = [{ provide: NewPet, useClass: NewChippedPet }];
    const { components } = await fetchDocument(await start([ToysController], { dtos }));
    expect(components?.schemas).toHaveProperty('NewPet');
    expect(components?.schemas).not.toHaveProperty('NewChippedPet');
  });
});

describe('operationIds', () => {
  @Controller('v1/cats')
  class CatsController {
    @Get()
    findAll(): string {
      return 'cats';
    }

    @Get(':id')
    findCat(): string {
      return 'cat';
    }

    @Get('named/one')
    @ApiOperation({ operationId: 'findOne' })
    findNamed(): string {
      return 'cat';
    }
  }

  @Controller('v1/dogs')
  class DogsController {
    @Get()
    findAll(): string {
      return 'dogs';
    }

    @All('one')
    findOne(): string {
      return 'dog';
    }
  }

  test('name the handler, and also the controller if the name is not unique', async () => {
    const { paths } = await fetchDocument(await start([CatsController, DogsController]));
    expect(paths['/cats']?.get?.operationId).toBe('CatsController_findAll');
    expect(paths['/dogs']?.get?.operationId).toBe('DogsController_findAll');
    expect(paths['/cats/{id}']?.get?.operationId).toBe('findCat');
    expect(paths['/cats/named/one']?.get?.operationId).toBe('findOne');
    expect(paths['/dogs/one']?.post?.operationId).toBe('findOne_post');
    expect(paths['/pets']?.get?.operationId).toBe('listPets');
  });
});

describe('security schemes', () => {
  @Controller('v1/toys')
  class ToysController {
    @Get()
    @ApiBearerAuth()
    listToys(): string {
      return 'ball';
    }

    @Get('own')
    @ApiCookieAuth()
    listOwnToys(): string {
      return 'ball';
    }
  }

  test('can be declared with the DocumentBuilder, like a contact', async () => {
    const { info, components, paths, security, tags } = await fetchDocument(
      await start([ToysController], {
        document: (builder) => {
          builder.setContact('Ann', 'https://shop.example', 'ann@shop.example').setTitle('Shop');
          builder.setExternalDoc('Handbook', 'https://shop.example/handbook').addTag('Toys').addCookieAuth();
        },
      }),
    );
    expect(info).toMatchObject({ title: 'Shop', contact: { name: 'Ann' }, license: { name: 'MIT' } });
    expect(tags).toContainEqual({ name: 'Toys', description: '' });
    expect(Object.keys(components?.securitySchemes ?? {})).toEqual(['apiKey', 'cookie']);
    expect(paths['/toys/own']?.get?.security).toEqual([{ cookie: [] }]);
    expect(security).toEqual([{ apiKey: [] }]);
  });

  test('of @ApiBearerAuth() are the API key, unless the team declares another one', async () => {
    const withKey = await fetchDocument(await start([ToysController]));
    expect(withKey.paths['/toys']?.get?.security).toEqual([{ apiKey: [] }]);
    const document = (builder: DocumentBuilder) => void builder.addBearerAuth();
    const withBearer = await fetchDocument(await start([ToysController], { document }));
    expect(withBearer.paths['/toys']?.get?.security).toEqual([{ bearer: [] }]);
    expect(withBearer.components?.securitySchemes).toHaveProperty('bearer');
  });
});

describe('examples match their schemas', () => {
  class Page {
    @ApiProperty({ example: 5 })
    readonly total!: number;
  }

  class Toy {
    @ApiProperty({ example: 'ball' })
    readonly name!: string;
  }

  class Problem {
    @ApiProperty({ example: 7 })
    readonly code!: number;

    @ApiProperty({ example: 'The toy is lost.' })
    readonly message!: string;
  }

  @Controller('v1/toys')
  @ApiExtraModels(Page, Toy)
  class ToysController {
    @Get()
    @ApiOkResponse({
      schema: {
        allOf: [
          { $ref: getSchemaPath(Page) },
          { properties: { results: { type: 'array', items: { $ref: getSchemaPath(Toy) } } } },
        ],
      },
    })
    @ApiNotFoundResponse({ type: Problem })
    listToys(): string {
      return 'ball';
    }

    @Get('first')
    @ApiNotFoundResponse({ type: Problem })
    @ApiErrors()
    getFirstToy(): string {
      return 'ball';
    }
  }

  test.each([
    ['a schema of several parts', '200', { total: 5, results: [{ name: 'ball' }] }],
    ['an error of the team', '404', { code: 7, message: 'The toy is lost.' }],
  ])('of %s', async (_what, status, example) => {
    const { paths } = await fetchDocument(await start([ToysController]));
    expect(paths['/toys']?.get?.responses[status]).toMatchObject({
      content: { 'application/json': { example } },
    });
  });
});
