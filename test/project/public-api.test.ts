import ts from 'typescript';
import { expect, test } from 'vitest';

import { nodesOf, placeOf, readSource } from '../support/source-program.ts';

/** A use of dependencies and of Node that is forbidden. */
interface Rule {
  promise: string;
  isBroken: (node: ts.Node) => boolean;
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
  },
  {
    promise: 'only the class that declares a member with an underscore uses it',
    isBroken: (node) => {
      if (ts.isBindingElement(node)) return isUnderscored(node.propertyName ?? node.name);
      if (ts.isClassElement(node) && isUnderscored(node.name)) return !implementsStream(node);
      const name = nameOfAccessed(node);
      return name !== undefined && isUnderscored(name) && !isOfOwnClass(name);
    },
  },
  {
    promise: 'only the class that declares a private or protected member uses it',
    isBroken: (node) => {
      if (!ts.isElementAccessExpression(node)) return false;
      const flags = declarationsOf(node.argumentExpression).map(ts.getCombinedModifierFlags);
      return flags.some((flag) => (flag & ts.ModifierFlags.NonPublicAccessibilityModifier) !== 0);
    },
  },
  {
    promise: 'reflection is used only for metadata and own objects',
    isBroken: (node) => {
      const [target] = calling(node, 'Reflect', ['get', 'set', 'deleteProperty', 'construct']);
      return target !== undefined && !isOwn(target);
    },
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
  },
  {
    promise: "no code uses the stack of Express's router",
    isBroken: (node) => nameOfAccessed(node)?.text === 'stack' && !isStackOfError(node),
  },
];

const { checker, files } = readSource();

test.each(RULES)('$promise', ({ isBroken }) => {
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap((file) => [...nodesOf(file)].filter(isBroken).map(placeOf))).toEqual([]);
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
