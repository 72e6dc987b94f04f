import ts from 'typescript';
import { expect, test } from 'vitest';

import { nodesOf, placeOf, readSource } from '../support/source-program.ts';

// eslint.config.js forbids the uses of private interfaces that can be recognised without types.

const { checker, files } = readSource();

test('methods of dependencies are not replaced, and their objects get no members', () => {
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap((file) => [...nodesOf(file)].filter(changesDependency).map(placeOf))).toEqual([]);
});

function changesDependency(node: ts.Node): boolean {
  const [target] = calling(node, 'Object', ['assign', 'defineProperty', 'defineProperties']);
  if (target) return typesOf(target).some(isForeign);
  return (
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
    ts.isPropertyAccessExpression(node.left) &&
    declarationsOf(node.left.name).some((it) => isMethod(it) && isInDependency(it))
  );
}

/** Returns the arguments of a call of a method of an object, or none for anything else. */
function calling(node: ts.Node, object: string, methods: string[]): readonly ts.Expression[] {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
  const { expression, name } = node.expression;
  return expression.getText() === object && methods.includes(name.text) ? node.arguments : [];
}

function isMethod(declaration: ts.Declaration): boolean {
  return ts.isMethodDeclaration(declaration) || ts.isMethodSignature(declaration);
}

function declarationsOf(node: ts.Node): ts.Declaration[] {
  return checker.getSymbolAtLocation(node)?.declarations ?? [];
}

function typesOf(node: ts.Expression): ts.Type[] {
  const type = checker.getApparentType(checker.getTypeAtLocation(node));
  return type.isUnionOrIntersection() ? type.types : [type];
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
