import { ApiExtension } from '@nestjs/swagger';

export type StabilityLevel = 'beta' | 'experimental';

/**
 * Marks an operation that is not stable yet, or all that a controller itself declares, also in the published document,
 * with `x-stability`: a beta operation may change with notice, an experimental one at any time.
 */
export function Stability(level: StabilityLevel): ClassDecorator & MethodDecorator {
  return ApiExtension('x-stability', level);
}
