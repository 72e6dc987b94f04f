import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import ts from 'typescript';

/** The TypeScript of src as the compiler sees it. */
export interface SourceProgram {
  checker: ts.TypeChecker;
  files: ts.SourceFile[];
}

/**
 * Reads all TypeScript files of src.
 *
 * @param added the text of files that do not exist, by their path in the project
 */
export function readSource(added: Record<string, string> = {}): SourceProgram {
  const { config } = ts.readConfigFile('tsconfig.json', (path) => readFileSync(path, 'utf8')) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
  const texts = new Map(Object.entries(added).map(([path, text]) => [resolve(path), text]));
  const host = ts.createCompilerHost(options);
  host.fileExists = (path) => texts.has(path) || ts.sys.fileExists(path);
  host.readFile = (path) => texts.get(path) ?? ts.sys.readFile(path);
  const paths = [...globSync('src/**/*.ts').map((path) => resolve(path)), ...texts.keys()];
  const program = ts.createProgram(paths, options, host);
  return {
    checker: program.getTypeChecker(),
    files: paths.flatMap((path) => program.getSourceFile(path) ?? []),
  };
}

/** Returns all nodes of a file, from its beginning to its end. */
export function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  for (const child of node.getChildren()) yield* nodesOf(child);
}

/** Returns where a node is, as `src/main.ts:1: text`. */
export function placeOf(node: ts.Node): string {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  const path = file.fileName.slice(process.cwd().length + 1);
  return `${path}:${line + 1}: ${node.getText().split('\n', 1)[0] ?? ''}`;
}
