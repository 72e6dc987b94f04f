import { type ServiceErrorCode, STATUS_OF_CODE } from '../../domain/error-codes.js';
import type { ErrorBody } from '../../http/errors/error.dto.js';
import { ERROR_TEXTS } from './error-texts.js';

const CODES = Object.keys(STATUS_OF_CODE) as ServiceErrorCode[];

/** Returns an example of the service's error with a status, if there is one. */
export function exampleOfStatus(status: number): ErrorBody | undefined {
  const code = findCode(status);
  return code && { code, message: ERROR_TEXTS[code].example, status: STATUS_OF_CODE[code] };
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
