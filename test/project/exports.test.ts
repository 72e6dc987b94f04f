import { resolve } from 'node:path';

import ts from 'typescript';
import { expect, test } from 'vitest';

const BUILD = resolve('dist/src');
const ENTRY_POINTS = ['index.d.ts', 'testing/create-test-app.d.ts'].map((name) => `${BUILD}/${name}`);

test('every type in the members of an export is exported too, so that teams can import it', () => {
  const program = ts.createProgram(ENTRY_POINTS, { module: ts.ModuleKind.NodeNext, skipLibCheck: true });
  const checker = program.getTypeChecker();
  const originalOf = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const exported = new Set(
    program
      .getSourceFiles()
      .filter(({ fileName }) => ENTRY_POINTS.includes(fileName))
      .flatMap((file) => checker.getSymbolAtLocation(file) ?? [])
      .flatMap((module) => checker.getExportsOfModule(module).map(originalOf)),
  );
  expect(exported.size).toBeGreaterThan(10);

  // A subclass inherits the constructor, and the base classes have nothing to import.
  const isInherited = (node: ts.Node): boolean =>
    ts.isConstructorDeclaration(node) ||
    ts.isHeritageClause(node) ||
    (!ts.isSourceFile(node) && isInherited(node.parent));
  const isHidden = (node: ts.Node) => {
    const symbol = ts.isIdentifier(node) && !isInherited(node) && checker.getSymbolAtLocation(node);
    if (!symbol || exported.has(originalOf(symbol))) return false;
    const [declaration] = originalOf(symbol).declarations ?? [];
    return (
      declaration && ts.isSourceFile(declaration.parent) && declaration.parent.fileName.startsWith(BUILD)
    );
  };
  const declarations = [...exported].flatMap((symbol) => symbol.declarations ?? []);
  const hidden = declarations.flatMap((declaration) => [...nodesOf(declaration)].filter(isHidden));
  expect(hidden.map(placeOf)).toEqual([]);
});

/** Returns all nodes of a declaration in order. */
function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  for (const child of node.getChildren()) yield* nodesOf(child);
}

/** Returns the file and the text of a node. */
function placeOf(node: ts.Node): string {
  return `${node.getSourceFile().fileName}: ${node.getText()}`;
}
