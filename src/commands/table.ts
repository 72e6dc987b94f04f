import type { AuthService } from '../auth/auth.service.js';

const GAP = '  ';

/** Keys as a person reads them, in columns. */
export function table(keys: Awaited<ReturnType<AuthService['listKeys']>>): string {
  const rows = [
    ['ID', 'ACCOUNT', 'LABEL', 'START', 'CREATED', 'LAST USED', 'REVOKED'],
    ...keys.map(({ id, account, label, start, createdAt, lastUsedAt, revokedAt }) => [
      id.toString(),
      printable(account),
      printable(label),
      start,
      ...[createdAt, lastUsedAt, revokedAt].map((date) => date?.toISOString() ?? '-'),
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

/** A label is a client's text: it must not break the line, nor send the terminal commands. */
function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
