import { type ErrorCode, STATUS_OF_CODE } from '../domain/error-codes.js';
import { ERROR_TEXTS } from './error-texts.js';

const CODES = Object.keys(STATUS_OF_CODE) as ErrorCode[];

/** The page about errors, in Markdown. The heading of each code is its anchor. */
export const ERRORS_PAGE = `# Errors

Every error has the same JSON body: a \`code\`, a \`message\` for people, and the HTTP \`status\`. Programs should check
\`code\`. New codes may be added; treat an unknown code like its HTTP status.

${CODES.map(sectionOf).join('\n')}`;

function sectionOf(code: ErrorCode): string {
  const { meaning, remedy, example } = ERROR_TEXTS[code];
  const status = STATUS_OF_CODE[code];
  return `## ${code}

Status ${status}. ${meaning}

**What to do:** ${remedy}

    ${JSON.stringify({ code, message: example, status })}
`;
}

/** A link to the section about a code, in Markdown. */
export function linkToCode(code: ErrorCode): string {
  return `[\`${code}\`]({root}/docs/errors#${code})`;
}
