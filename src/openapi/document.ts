import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

import type { Config } from '../config/config.js';
import { addCodeSamples } from './code-samples.js';
import { completeDocument, operationsOf } from './complete-document.js';
import { descriptionWith } from './description.js';
import { shareResponses } from './share-responses.js';

const BASE_PATH = '/v1';

const TAGS = {
  Pets: 'The animals of the store.',
  Store: 'The orders of your account.',
  Messages: 'Messages to deliver.',
};

const ACCOUNTS_DESCRIPTION = `Your account and its keys. The operations of the pet store are described in a separate document,
[openapi.json]({root}/openapi.json), which [the explorer]({root}/docs) shows.`;

/** Texts of the published document that depend on the composition of the service, in Markdown. */
export interface Texts {
  /** The keys of the service, and how to get one. */
  readonly keys: string;
  /** Descriptions of a team's own tags, by the name of the tag. */
  readonly tags: Readonly<Record<string, string>>;
}

/** Scans the operations of the application, including those that no document publishes. */
export function scanOperations(app: INestApplication): OpenAPIObject {
  return SwaggerModule.createDocument(app, new DocumentBuilder().setOpenAPIVersion('3.1.0').build(), {
    operationIdFactory: (_controller, method) => method,
    autoTagControllers: false,
  });
}

/** Creates the document of the operations below the base path. */
export function interfaceDocument(
  scanned: OpenAPIObject,
  config: Config,
  { keys, tags }: Texts,
): OpenAPIObject {
  const builder = baseDocument('Pet store', descriptionWith(keys));
  for (const [name, description] of Object.entries({ ...TAGS, ...tags })) builder.addTag(name, description);
  if (config.publicUrl) builder.addServer(config.publicUrl, 'Production');
  else builder.addServer(BASE_PATH);
  if (config.stagingUrl) builder.addServer(config.stagingUrl, 'Staging');
  const below = Object.entries(scanned.paths).filter(([path]) => path.startsWith(`${BASE_PATH}/`));
  const paths = Object.fromEntries(below.map(([path, item]) => [path.slice(BASE_PATH.length), item]));
  return publish(builder, scanned, paths, BASE_PATH);
}

/** Creates the document of the operations outside the base path: accounts and their keys. */
export function accountsDocument(scanned: OpenAPIObject): OpenAPIObject {
  const builder = baseDocument('Pet store accounts', ACCOUNTS_DESCRIPTION)
    .addTag('Accounts', 'Your account, and how to create one.')
    .addTag('Keys', 'The keys of your account.')
    .addServer('/');
  const beside = Object.entries(scanned.paths).filter(
    ([path, item]) =>
      !path.startsWith(`${BASE_PATH}/`) && operationsOf({ [path]: item }).some(({ tags }) => tags?.length),
  );
  return publish(builder, scanned, Object.fromEntries(beside), '');
}

function baseDocument(title: string, description: string): DocumentBuilder {
  return new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(title)
    .setVersion('1.0.0')
    .setDescription(description)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addSecurity('apiKey', {
      type: 'http',
      scheme: 'bearer',
      description: 'An API key of your account, as `Authorization: Bearer <API_KEY>`.',
    })
    .addSecurityRequirements('apiKey');
}

function publish(
  builder: DocumentBuilder,
  scanned: OpenAPIObject,
  paths: OpenAPIObject['paths'],
  basePath: string,
): OpenAPIObject {
  const { components, ...info } = builder.build();
  const copy = structuredClone({ paths, schemas: scanned.components?.schemas ?? {} });
  const document = completeDocument({
    ...info,
    paths: copy.paths,
    components: { ...components, schemas: copy.schemas },
  });
  shareResponses(document);
  addCodeSamples(document, basePath);
  return document;
}
