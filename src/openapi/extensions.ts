/** What an operation says of itself, in this service's own extensions. */
export interface Marks {
  'x-stability'?: 'beta' | 'experimental';
  'x-sunset'?: string;
}

/** How other tools call a stability: oasdiff, which lets an alpha operation break, and Scalar, which knows no beta. */
const NAMES = {
  beta: { oasdiff: 'beta', scalar: 'experimental', color: 'blue' },
  experimental: { oasdiff: 'alpha', scalar: 'experimental', color: 'orange' },
};

/**
 * The extensions by which other tools show how settled an operation is: `x-badges` of Redocly,
 * `x-scalar-stability` of Scalar and `x-stability-level` of oasdiff, which reads `x-sunset` as it is.
 */
export function extensionsOfOtherTools({ 'x-stability': stability, 'x-sunset': sunset }: Marks): object {
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

/** A day as people write it: 5 December 2030. */
function inWords(day: string): string {
  return new Date(day).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
}
