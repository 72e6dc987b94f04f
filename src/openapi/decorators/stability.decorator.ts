import { applyDecorators } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';

export type StabilityLevel = 'stable' | 'beta' | 'experimental';

/**
 * The extensions by which other tools show a stability: `x-stability-level` of oasdiff, which allows breaking changes of
 * alpha operations, `x-scalar-stability` of Scalar, and `x-badges` of Redocly.
 */
const OTHER_TOOLS = {
  beta: { oasdiff: 'beta', color: 'blue' },
  experimental: { oasdiff: 'alpha', color: 'orange' },
};

/**
 * Declares the stability of an operation. The published document marks unstable operations with `x-stability`: a beta
 * operation may change with notice, an experimental one at any time.
 */
export function Stability(level: StabilityLevel): MethodDecorator {
  if (level === 'stable') return applyDecorators();
  const { oasdiff, color } = OTHER_TOOLS[level];
  return applyDecorators(
    ApiExtension('x-stability', level),
    ApiExtension('x-stability-level', oasdiff),
    ApiExtension('x-scalar-stability', 'experimental'),
    ApiExtension('x-badges', [{ name: level, color }]),
  );
}
