import { type ServiceErrorCode, STATUS_OF_CODE } from '../../domain/error-codes.js';
import type { ErrorBody } from '../../http/errors/error.dto.js';
import { ERROR_TEXTS } from './error-texts.js';

const CODES = Object.keys(STATUS_OF_CODE) as ServiceErrorCode[];

/**
 * The page about errors, in Markdown. The heading of each code is its anchor.
 *
 * @param own examples of the errors with additional codes
 */
export const errorsPage = (own: readonly ErrorBody[]) => `# Errors

Every error has the same JSON body: a \`code\`, a \`message\` for people, and the HTTP \`status\`. Programs should check
\`code\`. New codes may be added; treat an unknown code like its HTTP status.

${[...CODES.map(sectionOf), ...own.map(ownSectionOf)].join('\n')}`;

function ownSectionOf(example: ErrorBody): string {
  return `## ${example.code}

Status ${example.status}. The message says what is wrong.

    ${JSON.stringify(example)}
`;
}

function sectionOf(code: ServiceErrorCode): string {
  const { meaning, remedy } = ERROR_TEXTS[code];
  return `## ${code}

Status ${STATUS_OF_CODE[code]}. ${meaning}

**What to do:** ${remedy}

    ${JSON.stringify(exampleOf(code))}
`;
}

function exampleOf(code: ServiceErrorCode): ErrorBody {
  return { code, message: ERROR_TEXTS[code].example, status: STATUS_OF_CODE[code] };
}

/** Returns an example of the service's error with a status, if there is one. */
export function exampleOfStatus(status: number): ErrorBody | undefined {
  const code = findCode(status);
  return code && exampleOf(code);
}

/** Describes the service's error with a status, in Markdown. */
export function describeStatus(status: number): string {
  const code = findCode(status);
  return code ? `${ERROR_TEXTS[code].meaning} See ${linkToCode(code)}.` : '';
}

function findCode(status: number): ServiceErrorCode | undefined {
  return CODES.find((code) => STATUS_OF_CODE[code] === status);
}

/** A link to the section about a code, in Markdown. */
export function linkToCode(code: string): string {
  return `[\`${code}\`]({root}/docs/errors#${code})`;
}
