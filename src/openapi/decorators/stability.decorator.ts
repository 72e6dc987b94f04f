import { applyDecorators } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';

export type StabilityLevel = 'stable' | 'beta' | 'experimental';

/**
 * Declares the stability of an operation. The published document marks unstable operations with `x-stability`: a beta
 * operation may change with notice, an experimental one at any time.
 */
export function Stability(level: StabilityLevel): MethodDecorator {
  return level === 'stable' ? applyDecorators() : ApiExtension('x-stability', level);
}
