import fc from 'fast-check';
import { isSafe } from 'redos-detector';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

import { nodesOf, placeOf, readSource } from '../support/source-program.ts';

/** Patterns whose time grows at least with the square of the length of the text. */
const SLOW = [/^\d*\.?\d+$/, /0+$/];

/** Patterns that redos-detector rejects because it does not support lookbehind, and why they are linear. */
const LINEAR_BY_LOOKBEHIND: Record<string, string> = {
  '(?<!0)0+$': 'only the first zero of a run is tried',
};

const { checker, files } = readSource();
const nodes = files.flatMap((file) => [...nodesOf(file)]);
const patterns = nodes.flatMap((node) => patternOf(node) ?? []);

test('every pattern of the source is found', () => {
  expect(patterns.length).toBeGreaterThan(10);
});

describe.each(patterns)('$place', ({ pattern }) => {
  test.skipIf(pattern.source in LINEAR_BY_LOOKBEHIND)('has a bounded number of ways to match a text', () => {
    expect(isSafe(pattern)).toMatchObject({ safe: true, error: null });
  });

  // A pattern with more ways may take exponential time, so it cannot be measured.
  test.runIf(pattern.source in LINEAR_BY_LOOKBEHIND || isSafe(pattern).safe)(
    'takes linear time for texts that are made to slow it down',
    () => {
      expect(slowText(pattern)).toBeUndefined();
    },
  );
});

describe.each(SLOW)('the slow pattern %s', (pattern) => {
  test('has too many ways to match a text', () => {
    expect(isSafe(pattern).safe).toBe(false);
  });

  test('takes more than linear time', () => {
    expect(slowText(pattern)).toBeDefined();
  });
});

/** Returns the pattern of a node, which is a literal or consists of constants. */
function patternOf(node: ts.Node): { place: string; pattern: RegExp } | undefined {
  if (ts.isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf('/');
    return { place: placeOf(node), pattern: new RegExp(node.text.slice(1, end), node.text.slice(end + 1)) };
  }
  if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return undefined;
  if (node.expression.getText() !== 'RegExp') return undefined;
  const [source = '', flags = ''] = (node.arguments ?? []).map(constantOf);
  return { place: placeOf(node), pattern: new RegExp(source, flags) };
}

/** Returns the text of an expression that consists of literals and constants. */
function constantOf(node: ts.Expression): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map(({ expression, literal }) => constantOf(expression) + literal.text);
    return node.head.text + spans.join('');
  }
  return String(numberOrText(node));
}

function numberOrText(node: ts.Expression): number | string {
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return constantOf(node);
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [numberOrText(node.left), numberOrText(node.right)];
    return typeof left === 'number' && typeof right === 'number' ? left + right : `${left}${right}`;
  }
  const declaration = checker.getSymbolAtLocation(node)?.valueDeclaration;
  if (declaration && ts.isVariableDeclaration(declaration) && declaration.initializer)
    return numberOrText(declaration.initializer);
  throw new Error(
    `${placeOf(node)}: write a pattern by literals and constants alone, so that it can be tested.`,
  );
}

/** Repeats a part as often as it fits into a length. */
type Attack = (length: number) => string;

/** Returns texts that repeat a character of ASCII or a part of a matching text, with another end. */
function attacksOn(pattern: RegExp): Attack[] {
  const characters = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
  const whole = characters.map((character) => ({ before: '', repeated: character }));
  const parts = matchesOf(pattern).flatMap((text) =>
    [...text.slice(0, 32).matchAll(/(?=(.)(.?))/gsu)].flatMap(({ index, 1: first = '', 2: second = '' }) => [
      { before: text.slice(0, index), repeated: first },
      { before: text.slice(0, index), repeated: first + second },
    ]),
  );
  return [...whole, ...parts].flatMap(({ before, repeated }) =>
    ['', '\0', '"'].map(
      (end) => (length: number) => before + repeated.repeat(length / repeated.length) + end,
    ),
  );
}

/** Returns some matching texts, or none if fast-check does not support the pattern. */
function matchesOf(pattern: RegExp): string[] {
  try {
    // fast-check supports no other flag.
    const plain = new RegExp(pattern.source, pattern.unicode ? 'u' : '');
    return fc.sample(fc.stringMatching(plain), { seed: 1, numRuns: 20 });
  } catch {
    return [];
  }
}

const LENGTH = 16_384;
const PARTS = 32;

/**
 * The maximum ratio of the time of a long text to that of 32 short texts. It is 1 for linear patterns, 32 for quadratic
 * ones.
 */
const LINEAR_GROWTH = 8;

/** Returns the beginning of a text of 16 kB that takes more than linear time, if there is one. */
function slowText(pattern: RegExp): string | undefined {
  // An interruption of the process affects one measurement, but not each of many.
  const isSlow = (attack: Attack) =>
    [1, 3, 5].every((rounds) => growth(pattern, attack, rounds) >= LINEAR_GROWTH);
  return attacksOn(pattern).find(isSlow)?.(32);
}

/** Returns the ratio of the time of a long text to that of short texts with the same total length. */
function growth(pattern: RegExp, attack: Attack, rounds: number): number {
  const [long, short] = [attack(LENGTH), attack(LENGTH / PARTS)];
  const timeOfShort = leastTime(rounds, () => {
    for (let part = 0; part < PARTS; part++) match(pattern, short);
  });
  const timeOfLong = leastTime(rounds, () => {
    match(pattern, long);
  });
  return timeOfLong / timeOfShort;
}

function match(pattern: RegExp, text: string): void {
  if (pattern.global) Array.from(text.matchAll(pattern));
  else pattern.test(text);
}

function leastTime(rounds: number, action: () => void): number {
  let least = Infinity;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    action();
    least = Math.min(least, performance.now() - start);
  }
  return least;
}
