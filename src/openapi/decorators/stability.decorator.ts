import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';

/** The metadata key of the stability of an operation. */
export const STABILITY = Symbol('stability');

export type StabilityLevel = 'stable' | 'beta' | 'experimental';

/**
 * Declares the stability of an operation. The published document marks unstable operations with `x-stability`: a beta
 * operation may change with notice, an experimental one at any time.
 */
export function Stability(level: StabilityLevel): MethodDecorator {
  const metadata = SetMetadata(STABILITY, level);
  return level === 'stable' ? metadata : applyDecorators(metadata, ApiExtension('x-stability', level));
}
