import ts from 'typescript';
import { describe, expect, test } from 'vitest';

import { nodesOf, placeOf, readSource } from './support/source-program.ts';

/** What the source does not do to its dependencies and to Node, and files that do it all the same. */
interface Rule {
  promise: string;
  isBroken: (node: ts.Node) => boolean;
  breaches: string[];
  /** What looks alike, and is allowed. */
  allowed: string[];
}

/** Inner paths of packages that their documentation names, and where. */
const ENTRY_POINTS: Record<string, string> = {
  'import-in-the-middle/register-hooks.mjs': 'its README shows it as the way to register hooks',
  'csv-parse/sync': 'csv.js.org, "Sync API"',
  'swagger-ui-dist/package.json': 'npm puts it at the root of every package',
};

/** Members with an underscore that Node's documentation asks the classes of streams to implement. */
const OF_STREAMS = ['_construct', '_read', '_write', '_writev', '_final', '_transform', '_flush', '_destroy'];

const RULES: Rule[] = [
  {
    promise: 'imports name a package, or an entry point that its documentation names',
    isBroken: (node) => {
      const name = importedBy(node);
      return name !== undefined && isInnerPath(name) && !(name in ENTRY_POINTS);
    },
    breaches: [
      `import type { Parser } from 'pg-protocol/dist/parser.js';`,
      `export { Redirect } from '@nestjs/common/internal';`,
      `const utils = await import('pg/lib/utils.js');`,
      `import { createRequire } from 'node:module';\ncreateRequire(import.meta.url)('pg/lib/utils.js');`,
      `type Driver = import('typeorm/driver/Driver.js').Driver;`,
      `declare module 'pg/lib/utils.js' { export const prepareValue: unknown; }`,
    ],
    allowed: [
      `import { readFile } from 'node:fs/promises';`,
      `import { Module } from '@nestjs/common';`,
      `import { parse } from 'csv-parse/sync';`,
    ],
  },
  {
    promise: 'members with an underscore are used by the class that declares them',
    isBroken: (node) => {
      if (ts.isBindingElement(node)) return isUnderscored(node.propertyName ?? node.name);
      if (ts.isClassElement(node) && isUnderscored(node.name)) return !implementsStream(node);
      const name = nameOfAccessed(node);
      return name !== undefined && isUnderscored(name) && !isOfOwnClass(name);
    },
    breaches: [
      `import type { Socket } from 'node:net';\nexport const f = (s: Socket) => (s as unknown as { _handle: object })._handle;`,
      `import { Client } from 'pg';\nexport const f = (c: Client) => c['_connected' as keyof Client];`,
      `export const f = (app: { _router: object }) => { const { _router } = app; return _router; };`,
      `import { Client } from 'pg';\nexport class C extends Client { _pulseQueryQueue() {} }`,
    ],
    allowed: [
      `import { Duplex } from 'node:stream';\nexport class D extends Duplex { override _read() {} }`,
      `import { Duplex } from 'node:stream';
       export class D extends Duplex { override _write() {} write2() { this._write(); } }`,
    ],
  },
  {
    promise: 'private and protected members are used by the class that declares them',
    isBroken: (node) => {
      if (!ts.isElementAccessExpression(node)) return false;
      const flags = declarationsOf(node.argumentExpression).map(ts.getCombinedModifierFlags);
      return flags.some((flag) => (flag & ts.ModifierFlags.NonPublicAccessibilityModifier) !== 0);
    },
    breaches: [
      `import type { NestContainer } from '@nestjs/core';\nexport const f = (c: NestContainer) => c['globalModules'];`,
    ],
    allowed: [`export const f = (environment: NodeJS.ProcessEnv) => environment['PORT'];`],
  },
  {
    promise: 'reflection is for metadata and own objects',
    isBroken: (node) => {
      const [target] = calling(node, 'Reflect', ['get', 'set', 'deleteProperty', 'construct']);
      return target !== undefined && !isOwn(target);
    },
    breaches: [
      `import pg from 'pg';\nexport const query = Reflect.get(pg.Client.prototype, 'query');`,
      `import { Server } from 'node:http';\nexport const server = Reflect.construct(Server, []);`,
      `export const f = (anything: object) => Reflect.set(anything, 'a', 1);`,
    ],
    allowed: [
      `export const f = (o: object) => Reflect.getMetadata('a', o);`,
      `export const f = (o: Record<string, string>) => Reflect.deleteProperty(o, 'a');`,
    ],
  },
  {
    promise: 'prototypes stay as they are',
    isBroken: (node) => {
      if (calling(node, 'Object', ['setPrototypeOf']).length > 0) return true;
      if (calling(node, 'Reflect', ['setPrototypeOf']).length > 0) return true;
      if (nameOfAccessed(node)?.text === '__proto__') return true;
      if (!ts.isPropertyAccessExpression(node) || node.name.text !== 'prototype') return false;
      return isChanged(node) || typesOf(node.expression).some(isForeign);
    },
    breaches: [
      `import { ServerResponse } from 'node:http';\nObject.setPrototypeOf(ServerResponse.prototype, {});`,
      `import { Server } from 'node:net';\nexport const f = (s: Server) => Server.prototype.close.call(s);`,
      `Array.prototype.at = () => undefined;`,
      `Object.assign(String.prototype, { shout: () => '!' });`,
      `Object.defineProperty(Object.prototype, 'a', { value: 1 });`,
      `export const f = (o: { __proto__: object }) => { o.__proto__ = {}; };`,
    ],
    allowed: [`export const f = (o: object) => Object.prototype.hasOwnProperty.call(o, 'a');`],
  },
  {
    promise: 'objects of dependencies keep their methods, and get no members',
    isBroken: (node) => {
      const [target] = calling(node, 'Object', ['assign', 'defineProperty', 'defineProperties']);
      if (target) return typesOf(target).some(isForeign);
      return (
        isAssignment(node) &&
        ts.isPropertyAccessExpression(node.left) &&
        declarationsOf(node.left.name).some((it) => isMethod(it) && isInDependency(it))
      );
    },
    breaches: [
      `import type { Server } from 'node:http';\nexport const f = (s: Server) => Object.assign(s, { requireHostHeader: false });`,
      `import type { Response } from 'express';\nexport const f = (r: Response) => { r.end = () => r; };`,
    ],
    allowed: [
      `import type { Response } from 'express';\nexport const f = (r: Response) => { r.statusCode = 200; };`,
      `import type { OpenAPIObject } from '@nestjs/swagger';
       export const f = (d: OpenAPIObject) => Object.assign(d, { 'x-a': 1 });`,
    ],
  },
  {
    promise: 'listeners of others stay, in their order',
    isBroken: (node) => {
      const taking = [
        'removeAllListeners',
        'prependListener',
        'prependOnceListener',
        'rawListeners',
        'listeners',
      ];
      return ts.isCallExpression(node) && taking.includes(nameOfAccessed(node.expression)?.text ?? '');
    },
    breaches: [
      `import type { Server } from 'node:http';\nexport const f = (s: Server) => s.removeAllListeners('request');`,
      `import type { Server } from 'node:http';\nexport const f = (s: Server) => s.prependListener('request', f);`,
    ],
    allowed: [
      `import type { Server } from 'node:http';\nexport const f = (s: Server) => s.on('request', f);`,
    ],
  },
  {
    promise: "the stack of Express's router is its own",
    isBroken: (node) => nameOfAccessed(node)?.text === 'stack' && !isStackOfError(node),
    breaches: [
      `import type { Express } from 'express';\nexport const f = (app: Express) => app.router.stack;`,
      `export const f = (app: { router: { stack: object[] } }) => app.router.stack;`,
    ],
    allowed: [`export const f = (error: Error) => error.stack;`],
  },
];

const pathOfExample = new Map<string, string>();
for (const text of RULES.flatMap(({ breaches, allowed }) => [...breaches, ...allowed]))
  pathOfExample.set(text, `src/example-${pathOfExample.size}.ts`);
const { checker, files } = readSource(
  Object.fromEntries([...pathOfExample].map(([text, path]) => [path, text])),
);

describe.each(RULES)('$promise', ({ isBroken, breaches, allowed }) => {
  const violationsIn = (file: ts.SourceFile) => [...nodesOf(file)].filter(isBroken).map(placeOf);

  test('which holds', () => {
    const source = files.filter(({ text }) => !pathOfExample.has(text));
    expect(source.length).toBeGreaterThan(100);
    expect(source.flatMap(violationsIn)).toEqual([]);
  });

  test.each(breaches)('and a breach is found: %s', (breach) => {
    expect(files.filter(({ text }) => text === breach).flatMap(violationsIn)).not.toEqual([]);
  });

  test.each(allowed)('and no more: %s', (text) => {
    expect(files.filter((file) => file.text === text).flatMap(violationsIn)).toEqual([]);
  });
});

/** Returns the name of the module that a node imports, re-exports, resolves or declares. */
function importedBy(node: ts.Node): string | undefined {
  if (!ts.isStringLiteralLike(node)) return undefined;
  const { parent } = node;
  const isImport =
    ts.isImportDeclaration(parent) ||
    ts.isExportDeclaration(parent) ||
    ts.isExternalModuleReference(parent) ||
    ts.isModuleDeclaration(parent) ||
    (ts.isLiteralTypeNode(parent) && ts.isImportTypeNode(parent.parent)) ||
    (ts.isCallExpression(parent) && isLoader(parent.expression));
  return isImport ? node.text : undefined;
}

function isLoader(called: ts.Expression): boolean {
  const text = called.getText();
  return (
    text.startsWith('createRequire(') ||
    ['import', 'require', 'require.resolve', 'import.meta.resolve'].includes(text)
  );
}

function isInnerPath(name: string): boolean {
  if (/^(\.|#|node:)/.test(name)) return false;
  return name.split('/').length > (name.startsWith('@') ? 2 : 1);
}

type Named = ts.Identifier | ts.PrivateIdentifier | ts.StringLiteralLike;

/** Returns the name in `object.name` and in `object['name']`. */
function nameOfAccessed(node: ts.Node): Named | undefined {
  if (ts.isPropertyAccessExpression(node)) return node.name;
  if (!ts.isElementAccessExpression(node)) return undefined;
  const argument = ts.isAsExpression(node.argumentExpression)
    ? node.argumentExpression.expression
    : node.argumentExpression;
  return ts.isStringLiteralLike(argument) ? argument : undefined;
}

function isUnderscored(name: ts.Node | undefined): name is Named {
  return name !== undefined && 'text' in name && typeof name.text === 'string' && /^_./.test(name.text);
}

function isOfOwnClass(name: ts.Node): boolean {
  const declarations = declarationsOf(name);
  return (
    declarations.length > 0 && declarations.every((it) => ts.isClassLike(it.parent) && !isInDependency(it))
  );
}

function implementsStream({ name, parent }: ts.ClassElement): boolean {
  if (!ts.isClassLike(parent) || !parent.heritageClauses || !name) return true;
  return 'text' in name && OF_STREAMS.includes(name.text);
}

/** Returns the arguments of a call of one of an object's methods; none for anything else. */
function calling(node: ts.Node, object: string, methods: string[]): readonly ts.Expression[] {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
  const { expression, name } = node.expression;
  return expression.getText() === object && methods.includes(name.text) ? node.arguments : [];
}

/** Whether an expression is assigned to, or given to what changes it. */
function isChanged(node: ts.Expression): boolean {
  const { parent } = node;
  if (ts.isCallExpression(parent))
    return calling(parent, 'Object', ['assign', 'defineProperty', 'defineProperties'])[0] === node;
  const assigned =
    ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent) ? parent : node;
  const { parent: assignment } = assigned;
  return isAssignment(assignment) && assignment.left === assigned;
}

function isAssignment(node: ts.Node): node is ts.BinaryExpression {
  return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken;
}

function isMethod(declaration: ts.Declaration): boolean {
  return ts.isMethodDeclaration(declaration) || ts.isMethodSignature(declaration);
}

function isStackOfError(node: ts.Node): boolean {
  const name = nameOfAccessed(node);
  return (
    name !== undefined &&
    declarationsOf(name).some(
      ({ parent }) => ts.isInterfaceDeclaration(parent) && parent.name.text === 'Error',
    )
  );
}

function declarationsOf(node: ts.Node): ts.Declaration[] {
  return checker.getSymbolAtLocation(node)?.declarations ?? [];
}

function typesOf(node: ts.Expression): ts.Type[] {
  const type = checker.getApparentType(checker.getTypeAtLocation(node));
  return type.isUnionOrIntersection() ? type.types : [type];
}

/** Whether all that is known of an object comes from the project and the language. */
function isOwn(node: ts.Expression): boolean {
  return typesOf(node).every((type) => isNamed(type) && !isForeign(type));
}

/** Whether a type is a class of a dependency or of Node, rather than the shape of some data. */
function isForeign(type: ts.Type): boolean {
  if (!isNamed(type)) return false;
  const { symbol } = type;
  return (symbol.flags & ts.SymbolFlags.Value) !== 0 && (symbol.declarations ?? []).some(isInDependency);
}

/** Whether a type has a symbol, which `object`, `unknown` and the like lack. */
function isNamed(type: { symbol?: ts.Symbol }): boolean {
  return type.symbol !== undefined;
}

function isInDependency(node: ts.Node): boolean {
  const { fileName } = node.getSourceFile();
  return fileName.includes('/node_modules/') && !fileName.includes('/node_modules/typescript/');
}
