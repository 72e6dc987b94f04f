import { Controller } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiProperty } from '@nestjs/swagger';
import { beforeAll, expect, test } from 'vitest';

import { Conflict } from '#src/domain/errors';
import { ApiErrors } from '#src/openapi/decorators/api-errors.decorator';
import { ApiPageResponse } from '#src/openapi/decorators/api-responses.decorator';
import { InheritOperation } from '#src/openapi/decorators/inherit-operation.decorator';
import { PetsController } from '#src/pets/pets.controller';
import { PetsModule } from '#src/pets/pets.module';

import type { Document } from '../support/published-document.ts';
import { FEATURES } from '../support/root.ts';
import { startService } from '../support/service.ts';

class Cat {
  @ApiProperty()
  readonly lives!: number;
}

class ChipTaken extends Conflict {
  constructor() {
    super('The chip is taken.');
  }
}

@Controller('v1/pets')
class CatsController extends PetsController {
  @ApiPageResponse('Cats', Cat, '/v1/pets?after=1')
  @InheritOperation()
  override listPets(...args: Parameters<PetsController['listPets']>) {
    return super.listPets(...args);
  }

  @ApiCreatedResponse({ type: Cat })
  @ApiErrors(new ChipTaken())
  @InheritOperation()
  override createPet(...args: Parameters<PetsController['createPet']>) {
    return super.createPet(...args);
  }

  @ApiOkResponse({ type: Cat })
  @InheritOperation()
  override getPet(...args: Parameters<PetsController['getPet']>) {
    return super.getPet(...args);
  }
}

let document: Document;
beforeAll(async () => {
  const modules = FEATURES.filter((feature) => feature !== PetsModule);
  const controller = PetsModule.register({ controller: CatsController });
  const service = await startService({}, [...modules, controller]);
  document = JSON.parse((await service.client.get('/openapi.json')).text) as Document;
  await service.stop();
});

test('an override leaves no schema in the document that no operation uses', () => {
  const { components } = document;
  const text = JSON.stringify(document);
  expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(['Cat', 'Cats', 'Order']));
  const unused = Object.keys(components.schemas).filter(
    (name) => !text.includes(`"#/components/schemas/${name}"`),
  );
  expect(unused).toEqual([]);
});

test('an error of a team stands beside the others of its operation', () => {
  const conflict = document.paths['/pets']?.['post']?.responses['409'];
  expect(Object.keys(conflict?.content?.['application/json']?.examples ?? {})).toEqual([
    'Another request with this Idempotency-Key is in progress.',
    'The chip is taken.',
  ]);
});
