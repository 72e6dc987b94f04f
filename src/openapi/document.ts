import type { INestApplication, Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

import type { Config } from '../config/config.js';
import type { ServiceName } from '../program.js';
import { completeDocument } from './complete-document.js';
import { operationsByPath } from './operations.js';

/** The path of the interface, at which its addresses end. */
const BASE_PATH = '/v1';

const rootOf = (url: string) => url.slice(0, -BASE_PATH.length);

/** Returns the builder of the document of the interface. A team adds tags, security schemes and more to it. */
export function interfaceBuilder(
  { publicUrl, stagingUrl }: Config,
  { title }: ServiceName,
  { description } = { description: '' },
): DocumentBuilder {
  const builder = newBuilder(title)
    // It fits on one screen; the guide contains the rest.
    .setDescription(
      `List animals, add one, order one, queue a message. Send your {credential} with every request:

    curl -H 'Authorization: Bearer <{CREDENTIAL}>' {root}/v1/pets

${description}

The [guide]({root}/docs/guide) describes requests, lists, errors, large integers, limits and changes. For Postman, import
[postman.json]({root}/postman.json) instead of this document, and set its variable \`bearerToken\`.
`,
    )
    .addTag('Pets', 'The animals of the store.')
    .addTag('Store', 'The orders of your account.')
    .addTag('Messages', 'Messages to deliver.');
  if (publicUrl) builder.addServer(publicUrl, 'Production');
  else builder.addServer(`{root}${BASE_PATH}`);
  if (stagingUrl) builder.addServer(stagingUrl, 'Staging');
  return builder;
}

export function accountsBuilder({ title }: ServiceName): DocumentBuilder {
  return newBuilder(`${title} accounts`)
    .addServer('{root}')
    .addTag('Accounts', 'Your account, and how to create one.')
    .addTag('Keys', 'The keys of your account.')
    .setDescription(
      `Your account and its keys. These operations stand beside the interface, which
[openapi.json]({root}/openapi.json) describes and [the explorer]({root}/docs) shows.`,
    );
}

/** Returns the builder of a document. The security scheme has the name of `@ApiBearerAuth()`. */
function newBuilder(title: string): DocumentBuilder {
  return new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(title)
    .setVersion('1.0.0')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addSecurity('bearer', {
      type: 'http',
      scheme: 'bearer',
      description: 'Your {credential}, as `Authorization: Bearer <{CREDENTIAL}>`.',
    })
    .addSecurityRequirements('bearer');
}

/**
 * Creates the document of the operations of some modules. Paths below the base path are relative to it; other operations
 * name their own servers.
 *
 * @param isIncluded returns whether the document contains the operations of a module
 */
export function createDocument(
  app: INestApplication,
  builder: DocumentBuilder,
  isIncluded: (module: Type) => boolean,
): OpenAPIObject {
  const document = SwaggerModule.createDocument(app, builder.build(), {
    include: modulesOf(app).filter(isIncluded),
    operationIdFactory: (_controller, handler, version) => (version ? `${handler}_${version}` : handler),
    autoTagControllers: false,
  });
  document.paths = publishedPaths(document);
  assertUniqueOperations(document);
  completeDocument(document);
  return document;
}

/** @throws Error when two operations have the same name, after which generated clients name their functions */
function assertUniqueOperations({ paths }: OpenAPIObject): void {
  const ids = operationsByPath(paths).map(({ operation }) => operation.operationId);
  const repeated = ids.find((id, i) => ids.indexOf(id) < i);
  if (repeated === undefined) return;
  throw new Error(
    `Two operations have the operationId ${repeated}. Rename the handler of one of them, or add ` +
      `@ApiOperation({ operationId: '…' }) to it.`,
  );
}

/**
 * Returns the paths of a scan as the document has them: relative to the base path if the servers end in it, and with only
 * the methods of OpenAPI 3.1. The scan also finds those of `@Search()` and others.
 */
function publishedPaths({ paths, servers = [] }: OpenAPIObject): OpenAPIObject['paths'] {
  const isInterface = servers.some(({ url }) => url.endsWith(BASE_PATH));
  const roots = servers.map((server) => ({ ...server, url: rootOf(server.url) }));
  const published: OpenAPIObject['paths'] = {};
  for (const { path, method, operation } of operationsByPath(paths)) {
    const isRelative = isInterface && path.startsWith(`${BASE_PATH}/`);
    const relative = isRelative ? path.slice(BASE_PATH.length) : path;
    if (isInterface && !isRelative) {
      operation.servers = roots;
      if (BASE_PATH + path in paths) {
        throw new Error(
          `The document cannot contain both ${path} and ${BASE_PATH}${path}, because its paths are relative to ` +
            `${BASE_PATH}. Change the path of one controller, or add @ApiExcludeController() to it.`,
        );
      }
    }
    published[relative] = { ...published[relative], [method]: operation };
  }
  return published;
}

function modulesOf(app: INestApplication): Type[] {
  return [...app.get(ModulesContainer).values()].map(({ metatype }) => metatype);
}

/**
 * Returns the paths of all operations, in the syntax of Express, and their methods in upper case. HEAD is supported
 * wherever GET is.
 */
export function findRoutes(app: INestApplication): { path: string; methods: string[] }[] {
  // Below version 3.2 of OpenAPI, the scan omits the operations of `@QueryMethod()`.
  const scan = new DocumentBuilder().setOpenAPIVersion('3.2.0').build();
  return Object.entries(SwaggerModule.createDocument(app, scan).paths).map(([path, item]) => {
    const methods = Object.keys(item).map((method) => method.toUpperCase());
    if (item.get && !item.head) methods.push('HEAD');
    const pattern = path
      .replaceAll(':', String.raw`\:`)
      .replaceAll('{', ':')
      .replaceAll('}', '');
    return { path: pattern, methods: methods.sort() };
  });
}
