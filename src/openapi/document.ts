import { DocumentBuilder, type OpenAPIObject } from '@nestjs/swagger';

import type { Config } from '../config/config.js';
import { completeDocument } from './complete-document.js';
import { descriptionWith } from './description.js';
import { operationsOf, withKnownMethods } from './operations.js';
import { addKnownCodes } from './own-errors.js';
import { shareResponses } from './share-responses.js';
import { pickSchemas, type Schemas, schemasUsedBy } from './used-schemas.js';

/** The prefix of the paths of the operations. */
export const BASE_PATH = '/v1';

const TAGS = {
  Pets: 'The animals of the store.',
  Store: 'The orders of your account.',
  Messages: 'Messages to deliver.',
};

const ACCOUNT_TAGS = {
  Accounts: 'Your account, and how to create one.',
  Keys: 'The keys of your account.',
};

const ACCOUNTS_DESCRIPTION = `Your account and its keys. These operations stand beside the interface, which
[openapi.json]({root}/openapi.json) describes and [the explorer]({root}/docs) shows.`;

/** The parts of the scanned document that a published document contains. */
interface ScannedParts {
  readonly paths: OpenAPIObject['paths'];
  readonly webhooks?: OpenAPIObject['webhooks'];
  readonly schemas: Schemas;
}

/** Texts of the published document that depend on the composition of the service, in Markdown. */
export interface Texts {
  /** The keys of the service, and how to get one. */
  readonly keys: string;
  /** Descriptions of additional tags, by the name of the tag. */
  readonly tags: Readonly<Record<string, string>>;
  /** Additional error codes. */
  readonly errorCodes: readonly string[];
}

/** Returns the builder of the document of the operations below the base path. */
export function interfaceBuilder(config: Config, { keys, tags }: Texts): DocumentBuilder {
  const builder = baseDocument('Pet store', descriptionWith(keys));
  for (const [name, description] of Object.entries({ ...TAGS, ...tags })) builder.addTag(name, description);
  if (config.publicUrl) builder.addServer(config.publicUrl, 'Production');
  else builder.addServer(BASE_PATH);
  if (config.stagingUrl) builder.addServer(config.stagingUrl, 'Staging');
  return builder;
}

/** Creates the document of the operations below the base path. */
export function interfaceDocument(
  builder: DocumentBuilder,
  scanned: OpenAPIObject,
  config: Config,
  { tags, errorCodes }: Texts,
): OpenAPIObject {
  const below = Object.entries(scanned.paths).filter(([path]) => path.startsWith(`${BASE_PATH}/`));
  const elsewhere = pathsElsewhere(scanned, config, tags);
  const paths = {
    ...Object.fromEntries(below.map(([path, item]) => [path.slice(BASE_PATH.length), item])),
    ...elsewhere,
  };
  const others = Object.entries(scanned.paths).filter(
    ([path]) => !path.startsWith(`${BASE_PATH}/`) && !(path in elsewhere),
  );
  const { webhooks, components: { schemas = {} } = {} } = scanned;
  const used = schemasUsedBy([paths, webhooks], schemas);
  const usedByOthers = schemasUsedBy(others, schemas);
  // No operation refers to a class of `@ApiExtraModels`.
  const published = pickSchemas(schemas, (name) => used.has(name) || !usedByOthers.has(name));
  const document = publish(builder, { paths, webhooks, schemas: published });
  addKnownCodes(document, errorCodes);
  return document;
}

/** Returns the paths with additional tags outside of the base path. Their operations name their own servers. */
function pathsElsewhere(
  { paths }: OpenAPIObject,
  { publicUrl, stagingUrl }: Config,
  ownTags: Readonly<Record<string, string>>,
): OpenAPIObject['paths'] {
  const addresses = [publicUrl ?? BASE_PATH, ...(stagingUrl ? [stagingUrl] : [])];
  const servers = addresses.map((address) => ({ url: address.slice(0, -BASE_PATH.length) || '/' }));
  const elsewhere = Object.entries(paths).filter(
    ([path, item]) => !path.startsWith(`${BASE_PATH}/`) && tagsOf(path, item).some((tag) => tag in ownTags),
  );
  return Object.fromEntries(
    elsewhere.map(([path, item]) => {
      const operations = Object.entries(item as Record<string, object>);
      return [path, Object.fromEntries(operations.map(([method, each]) => [method, { ...each, servers }]))];
    }),
  );
}

function tagsOf(path: string, item: OpenAPIObject['paths'][string]): string[] {
  return operationsOf({ [path]: item }).flatMap(({ tags = [] }) => tags);
}

/** Creates the document of the operations outside the base path: accounts and their keys. */
export function accountsDocument(scanned: OpenAPIObject): OpenAPIObject {
  const builder = baseDocument('Pet store accounts', ACCOUNTS_DESCRIPTION).addServer('/');
  for (const [name, description] of Object.entries(ACCOUNT_TAGS)) builder.addTag(name, description);
  const beside = Object.entries(scanned.paths).filter(
    ([path, item]) =>
      !path.startsWith(`${BASE_PATH}/`) && tagsOf(path, item).some((tag) => tag in ACCOUNT_TAGS),
  );
  const { schemas = {} } = scanned.components ?? {};
  const used = schemasUsedBy(beside, schemas);
  const published = pickSchemas(schemas, (name) => used.has(name));
  return publish(builder, { paths: Object.fromEntries(beside), schemas: published });
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

function publish(builder: DocumentBuilder, { paths, webhooks, schemas }: ScannedParts): OpenAPIObject {
  const { components, ...info } = builder.build();
  const document = completeDocument({
    ...info,
    ...structuredClone({
      paths: withKnownMethods(paths),
      ...(webhooks && { webhooks: withKnownMethods(webhooks) }),
      components: { ...components, schemas },
    }),
  });
  requireDeclaredKeys(document);
  shareResponses(document);
  return document;
}

/** `@ApiBearerAuth()` requires the scheme `bearer`. Unless the team declares it, the bearer token is the API key. */
function requireDeclaredKeys({ paths, components }: OpenAPIObject): void {
  if (components?.securitySchemes?.['bearer']) return;
  for (const operation of operationsOf(paths)) {
    if (!operation.security) continue;
    operation.security = operation.security.map(({ bearer, ...others }) =>
      bearer ? { ...others, apiKey: bearer } : others,
    );
  }
}
