import { applyDecorators, Header } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';

/** The property of an operation with the headers of its deprecation. It is not published. */
export const DEPRECATION_HEADERS = 'x-deprecation-headers';

/** The dates of deprecation and removal of an operation, and its replacement. */
export interface Deprecation {
  /** The day from which on the operation has been deprecated, as YYYY-MM-DD. */
  since: string;
  /** The day from which the operation may be removed, as YYYY-MM-DD. */
  removal: string;
  successor: string;
}

/**
 * Deprecates an operation: adds the headers Deprecation (RFC 9745), Sunset (RFC 8594) and Link to its responses, and
 * `deprecated`, the day of removal and the successor to the published document.
 */
export function Deprecated({ since, removal, successor }: Deprecation): MethodDecorator {
  const headers = {
    Deprecation: `@${Date.parse(since) / 1000}`,
    Sunset: new Date(removal).toUTCString(),
    Link: `<${successor}>; rel="successor-version"`,
  };
  return applyDecorators(
    ...Object.entries(headers).map(([name, value]) => Header(name, value)),
    ApiExtension('x-sunset', removal),
    ApiExtension('x-deprecated-sunset', removal),
    ApiExtension('x-successor', successor),
    ApiExtension(DEPRECATION_HEADERS, headers),
  );
}
