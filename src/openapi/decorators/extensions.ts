/** The extensions of an operation that this service defines. */
export interface OperationExtensions {
  'x-stability'?: 'beta' | 'experimental';
  'x-sunset'?: string;
}

/** The names of a stability in other tools. oasdiff allows breaking changes of alpha operations; Scalar has no beta. */
const NAMES = {
  beta: { oasdiff: 'beta', scalar: 'experimental', color: 'blue' },
  experimental: { oasdiff: 'alpha', scalar: 'experimental', color: 'orange' },
};

/**
 * Returns the extensions by which other tools show the stability of an operation: `x-badges` of Redocly,
 * `x-scalar-stability` of Scalar and `x-stability-level` of oasdiff, which also reads `x-sunset`.
 */
export function extensionsOfOtherTools({
  'x-stability': stability,
  'x-sunset': sunset,
}: OperationExtensions): object {
  const names = stability && NAMES[stability];
  const badges = [
    ...(names ? [{ name: stability, color: names.color }] : []),
    ...(sunset === undefined ? [] : [{ name: `will be removed on ${inWords(sunset)}`, color: 'red' }]),
  ];
  return {
    ...(names && { 'x-stability-level': names.oasdiff, 'x-scalar-stability': names.scalar }),
    ...(sunset !== undefined && { 'x-scalar-stability': 'deprecated' }),
    ...(badges.length > 0 && { 'x-badges': badges }),
  };
}

/** Formats a day in words: 5 December 2030. */
function inWords(day: string): string {
  return new Date(day).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
}
