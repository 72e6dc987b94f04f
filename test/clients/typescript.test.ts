import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { createClient } from '@hey-api/openapi-ts';
import { build, memoryStorage } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
import generateTypes, { astToString } from 'openapi-typescript';
import { generate as generateWithOrval } from 'orval';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { runCommand } from '../support/command.ts';
import { makeDirectoryForTest } from '../support/directory.ts';
import { type Service, startService } from '../support/service.ts';

/** The exports of each program in `programs/`. */
interface Program {
  callOperations: (baseUrl: string, key: string) => Promise<Record<string, unknown>>;
  fail: (baseUrl: string, key: string) => Promise<unknown>;
}

interface Generator {
  /** Generates code from a document, in an empty folder. */
  generate: (document: string, folder: string) => Promise<unknown>;
  /** Compiler options that the generated code does not satisfy. */
  except?: object;
}

const generators: Record<string, Generator> = {
  'openapi-fetch': {
    generate: async (document, folder) =>
      writeFile(join(folder, 'openapi.d.ts'), astToString(await generateTypes(new URL(document)))),
  },
  'hey-api': {
    generate: (input, path) =>
      createClient({ input, output: { path, module: { extension: '.js' } }, logs: { level: 'silent' } }),
    // The client that it generates passes undefined for absent options.
    except: { exactOptionalPropertyTypes: false },
  },
  orval: {
    generate: async (target, folder) => {
      const input = { target };
      const baseUrl = new URL('/v1', target).href;
      await generateWithOrval({
        input,
        output: { target: join(folder, 'api.ts'), client: 'fetch', baseUrl },
      });
      await generateWithOrval({ input, output: { target: join(folder, 'zod.ts'), client: 'zod' } });
    },
    // A zod schema returns undefined for what may be absent.
    except: { exactOptionalPropertyTypes: false },
  },
  kubb: {
    generate: (path, folder) =>
      build({
        config: {
          root: folder,
          input: { path },
          output: {
            path: '.',
            extension: { '.ts': '.js' },
            format: false,
            lint: false,
            // Kubb writes the files to the folder in any case. Its default storage also writes them to the current one.
            storage: memoryStorage(),
          },
          plugins: [pluginOas({ generators: [] }), pluginTs(), pluginClient({ client: 'fetch' })],
        },
      }),
    // The types of its own client import a file that has none.
    except: { skipLibCheck: true },
  },
};

let service: Service;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service.stop());

/** Compiles a program together with the code that is generated for it, and loads it. */
async function compile(name: string, { generate, except }: Generator): Promise<Program> {
  const folder = await makeDirectoryForTest();
  const generated = join(folder, 'generated');
  await mkdir(generated);
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  await generate(`${service.url}/openapi.json`, generated);
  await cp(`test/clients/programs/${name}.ts`, join(folder, 'program.ts'));
  const configuration = {
    extends: resolve('test/clients/programs/tsconfig.json'),
    compilerOptions: { rootDir: '.', outDir: 'dist', ...except },
    include: ['program.ts', 'generated'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(configuration));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const { code, stdout } = await runCommand('node_modules/.bin/tsc', ['-p', folder]);
  expect(code, stdout).toBe(0);
  return (await import(join(folder, 'dist/program.js'))) as Program;
}

test.for(Object.entries(generators))(
  '%s: a client compiles strictly and calls operations',
  async ([name, generator]) => {
    const { callOperations, fail } = await compile(name, generator);
    const { key = '' } = await service.clientOf(name);
    const baseUrl = `${service.url}/v1`;

    const answers = await callOperations(baseUrl, key);

    const { id } = answers['createPet'] as { id: number };
    expect(answers).toEqual({
      createPet: { id, name: 'Kitty Cat', categoryId: 2, status: 'available' },
      listPets: [{ id: expect.any(Number) as number, status: 'available' }],
      getPet: 'Kitty Cat',
      placeOrder: id,
      listOrders: [id],
      createMessage: 'queued',
    });
    expect(await fail(baseUrl, key)).toEqual({
      code: 'not_found',
      message: expect.any(String) as string,
      status: 404,
    });
  },
);
