import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

import type { Dtos } from '../http/validation/dtos.js';
import { nameOperations, scannedId } from './operation-ids.js';
import { requireScopes, type Scopes } from './scopes.js';
import { pickSchemas, schemasUsedBy } from './used-schemas.js';

/**
 * Scans the operations of the application, including those that no document publishes.
 *
 * @param dtos the classes that replace DTO classes of the service, whose schemas keep their names
 * @param scopes the scopes to document
 * @throws Error when a replaced class is not in the document, such as that of a query
 */
export function scanOperations(app: INestApplication, dtos: Dtos, scopes: Scopes): OpenAPIObject {
  // Below version 3.2 of OpenAPI, the scan omits the operations of `@QueryMethod()`.
  const document = SwaggerModule.createDocument(
    app,
    new DocumentBuilder().setOpenAPIVersion('3.2.0').build(),
    {
      operationIdFactory: scannedId,
      autoTagControllers: false,
      extraModels: [...dtos.values()],
    },
  );
  const schemas = document.components?.schemas ?? {};
  for (const [replaced, dto] of dtos) {
    if (!(replaced.name in schemas)) {
      throw new Error(
        `composition.dtos replaces ${replaced.name}, but no operation has a body or a response of this class.`,
      );
    }
    const schema = schemas[dto.name];
    if (schema) schemas[replaced.name] = schema;
  }
  // The replacements have the names of the replaced classes.
  const own = new Set([...dtos.values()].map(({ name }) => name));
  const used = schemasUsedBy([document.paths, document.webhooks], schemas);
  document.components = {
    ...document.components,
    schemas: pickSchemas(schemas, (name) => used.has(name) || !own.has(name)),
  };
  requireScopes(document, scopes);
  nameOperations(document);
  return document;
}
