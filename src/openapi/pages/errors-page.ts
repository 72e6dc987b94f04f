import type { ErrorBody } from '../../http/errors/error.dto.js';
import { ERROR_TEXTS, STATUS_OF_CODE } from './error-texts.js';

const CODES = Object.keys(ERROR_TEXTS);

/**
 * The page about errors, in Markdown. The heading of each code is its anchor.
 *
 * @param own examples of the errors with additional codes
 */
export const errorsPage = (own: readonly ErrorBody[]) => `# Errors

Every error has the same JSON body: a \`code\`, a \`message\` for people, and the HTTP \`status\`. Programs should check
\`code\`. New codes may be added; treat an unknown code like its HTTP status.

${[...CODES.map(sectionOf), ...own.filter(({ code }) => !CODES.includes(code)).map(ownSectionOf)].join('\n')}`;

function ownSectionOf(example: ErrorBody): string {
  return `## ${example.code}

Status ${example.status}. The message says what is wrong.

    ${JSON.stringify(example)}
`;
}

function sectionOf(code: string): string {
  const { meaning = '', remedy = '', example: message = '' } = ERROR_TEXTS[code] ?? {};
  const status = STATUS_OF_CODE[code] ?? 500;
  return `## ${code}

Status ${status}. ${meaning}

**What to do:** ${remedy}

    ${JSON.stringify({ code, message, status })}
`;
}
