import ts from 'typescript';
import { describe, expect, test } from 'vitest';

import { nodesOf, placeOf, readSource } from '../support/source-program.ts';

/** Uses of dependencies and of Node that are forbidden, each with files that break the rule. */
interface Rule {
  promise: string;
  isBroken: (node: ts.Node) => boolean;
  breaches: string[];
  /** Similar code that is allowed. */
  allowed: string[];
}

/** Inner paths of packages that their documentation mentions, and the place. */
const ENTRY_POINTS: Record<string, string> = {
  'import-in-the-middle/register-hooks.mjs': 'its README shows it as the way to register hooks',
  'simpledotcss/simple.min.css': 'its README links to it',
  'swagger-ui-dist/swagger-ui.css': 'its README lists it',
  'swagger-ui-dist/swagger-ui-bundle.js': 'its README lists it',
};

/** Methods with an underscore that subclasses of Node's streams implement. */
const OF_STREAMS = ['_construct', '_read', '_write', '_writev', '_final', '_transform', '_flush', '_destroy'];

const RULES: Rule[] = [
  {
    promise: 'imports name a package, or an entry point in its documentation',
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
      `import 'import-in-the-middle/register-hooks.mjs';`,
    ],
  },
  {
    promise: 'only the class that declares a member with an underscore uses it',
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
    promise: 'only the class that declares a private or protected member uses it',
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
    promise: 'reflection is used only for metadata and own objects',
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
    promise: 'prototypes do not change',
    isBroken: (node) => {
      if (calling(node, 'Object', ['setPrototypeOf']).length > 0) return true;
      if (calling(node, 'Reflect', ['setPrototypeOf']).length > 0) return true;
      if (nameOfAccessed(node)?.text === '__proto__') return true;
      if (!ts.isPropertyAccessExpression(node) || node.name.text !== 'prototype') return false;
      return isChanged(node);
    },
    breaches: [
      `import { ServerResponse } from 'node:http';\nObject.setPrototypeOf(ServerResponse.prototype, {});`,
      `Array.prototype.at = () => undefined;`,
      `Object.assign(String.prototype, { shout: () => '!' });`,
      `Object.defineProperty(Object.prototype, 'a', { value: 1 });`,
      `export const f = (o: { __proto__: object }) => { o.__proto__ = {}; };`,
    ],
    allowed: [
      `import { Server } from 'node:net';\nexport const f = (s: Server) => Server.prototype.close.call(s);`,
    ],
  },
  {
    promise: 'methods of dependencies are not replaced, and their objects get no members',
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
    promise: 'listeners of others are not removed or reordered',
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
    promise: "no code uses the stack of Express's router",
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

  test('no file breaks it', () => {
    const source = files.filter(({ text }) => !pathOfExample.has(text));
    expect(source.length).toBeGreaterThan(100);
    expect(source.flatMap(violationsIn)).toEqual([]);
  });

  test.each(breaches)('a violation is found: %s', (breach) => {
    expect(files.filter(({ text }) => text === breach).flatMap(violationsIn)).not.toEqual([]);
  });

  test.each(allowed)('allowed code passes: %s', (text) => {
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

/** Returns the arguments of a call of a method of an object, or none for anything else. */
function calling(node: ts.Node, object: string, methods: string[]): readonly ts.Expression[] {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
  const { expression, name } = node.expression;
  return expression.getText() === object && methods.includes(name.text) ? node.arguments : [];
}

/** Returns whether an expression is assigned to, or passed to a function that changes it. */
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

/** Returns whether the type of an object consists only of types of the project and the language. */
function isOwn(node: ts.Expression): boolean {
  return typesOf(node).every((type) => isNamed(type) && !isForeign(type));
}

/** Returns whether a type is a class of a dependency or of Node, rather than the shape of data. */
function isForeign(type: ts.Type): boolean {
  if (!isNamed(type)) return false;
  const { symbol } = type;
  return (symbol.flags & ts.SymbolFlags.Value) !== 0 && (symbol.declarations ?? []).some(isInDependency);
}

/** Returns whether a type has a symbol. `object`, `unknown` and similar types have none. */
function isNamed(type: { symbol?: ts.Symbol }): boolean {
  return type.symbol !== undefined;
}

function isInDependency(node: ts.Node): boolean {
  const { fileName } = node.getSourceFile();
  return fileName.includes('/node_modules/') && !fileName.includes('/node_modules/typescript/');
}
