import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';

/** Metadata of a handler: how settled its operation is. */
export const STABILITY = Symbol('stability');

export type StabilityLevel = 'stable' | 'beta' | 'experimental';

/**
 * Tells how settled an operation is. What is not stable carries `x-stability` in the published
 * document: a beta operation may change with notice, an experimental one at any time.
 */
export function Stability(level: StabilityLevel): MethodDecorator {
  const metadata = SetMetadata(STABILITY, level);
  return level === 'stable' ? metadata : applyDecorators(metadata, ApiExtension('x-stability', level));
}
