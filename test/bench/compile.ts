import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import ts from 'typescript';

/** Compiles a peer whose decorators Node cannot strip. Returns the file to run. */
export function compilePeer(name: string): string {
  const source = join('test/bench/peers', name);
  const target = join('dist/bench', name);
  mkdirSync(target, { recursive: true });
  for (const file of readdirSync(source)) {
    const { outputText } = ts.transpileModule(readFileSync(join(source, file), 'utf8'), {
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        experimentalDecorators: true,
        emitDecoratorMetadata: true,
        useDefineForClassFields: false,
        rewriteRelativeImportExtensions: true,
      },
    });
    writeFileSync(join(target, file.replace(/\.ts$/, '.js')), outputText);
  }
  return join(target, 'main.js');
}
