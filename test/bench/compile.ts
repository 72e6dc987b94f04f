import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import ts from 'typescript';

const SOURCE = 'test/bench/peers/stock-nest';
const TARGET = 'dist/bench/stock-nest';

/** Compiles the peer whose decorators Node cannot strip. Returns the file to run. */
export function compileStockNest(): string {
  mkdirSync(TARGET, { recursive: true });
  for (const file of readdirSync(SOURCE)) {
    const { outputText } = ts.transpileModule(readFileSync(join(SOURCE, file), 'utf8'), {
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        experimentalDecorators: true,
        emitDecoratorMetadata: true,
        useDefineForClassFields: false,
        rewriteRelativeImportExtensions: true,
      },
    });
    writeFileSync(join(TARGET, file.replace(/\.ts$/, '.js')), outputText);
  }
  return join(TARGET, 'main.js');
}
