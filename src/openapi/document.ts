import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

import type { Config } from '../config/config.js';
import { complete } from './complete-document.js';
import { descriptionWith } from './description.js';

const BASE_PATH = '/v1';

const TAGS = {
  Pets: 'The animals of the store.',
  Store: 'The orders of your account.',
  Messages: 'Messages that wait to be sent.',
};

/** What the published document says that depends on how the service is composed, in Markdown. */
export interface Texts {
  /** Of its keys: what they are, and where one gets them. */
  readonly keys: string;
  /** Of tags beside those of the interface, by the name of the tag. */
  readonly tags: Readonly<Record<string, string>>;
}

/** The document of the interface: the operations below its base path. */
export function interfaceDocument(
  app: INestApplication,
  config: Config,
  { keys, tags }: Texts,
): OpenAPIObject {
  const builder = baseDocument('Pet store', descriptionWith(keys));
  for (const [name, description] of Object.entries({ ...TAGS, ...tags })) builder.addTag(name, description);
  builder.addServer(config.publicUrl ?? BASE_PATH, 'Production');
  if (config.stagingUrl) builder.addServer(config.stagingUrl, 'Staging');
  const document = scan(app, builder);
  const below = Object.entries(document.paths).filter(([path]) => path.startsWith(`${BASE_PATH}/`));
  const paths = Object.fromEntries(below.map(([path, item]) => [path.slice(BASE_PATH.length), item]));
  return complete({ ...document, paths });
}

/** The document of what lies beside the interface: accounts and their keys. */
export function accountsDocument(app: INestApplication): OpenAPIObject {
  const builder = baseDocument('Pet store accounts', 'Your account and its keys. Not part of the interface.')
    .addTag('Accounts', 'How an account comes to be.')
    .addTag('Keys', 'The keys of your account.')
    .addServer('/', 'This service');
  const document = scan(app, builder);
  const beside = Object.entries(document.paths).filter(([path]) => !path.startsWith(`${BASE_PATH}/`));
  return complete({ ...document, paths: Object.fromEntries(beside) });
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

function scan(app: INestApplication, builder: DocumentBuilder): OpenAPIObject {
  return SwaggerModule.createDocument(app, builder.build(), {
    operationIdFactory: (_controller, method) => method,
    autoTagControllers: false,
  });
}
