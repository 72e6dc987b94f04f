import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import ts from 'typescript';

/** The TypeScript program of src. */
export interface SourceProgram {
  checker: ts.TypeChecker;
  files: ts.SourceFile[];
}

/** Reads all TypeScript files of src. */
export function readSource(): SourceProgram {
  const { config } = ts.readConfigFile('tsconfig.json', (path) => readFileSync(path, 'utf8')) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
  const paths = globSync('src/**/*.ts').map((path) => resolve(path));
  const program = ts.createProgram(paths, options);
  return {
    checker: program.getTypeChecker(),
    files: paths.flatMap((path) => program.getSourceFile(path) ?? []),
  };
}

/** Returns all nodes of a file in order. */
export function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  for (const child of node.getChildren()) yield* nodesOf(child);
}

/** Returns the position and the text of a node, as `src/main.ts:1: text`. */
export function placeOf(node: ts.Node): string {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  const path = file.fileName.slice(process.cwd().length + 1);
  return `${path}:${line + 1}: ${node.getText().split('\n', 1)[0] ?? ''}`;
}
