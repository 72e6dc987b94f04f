import { ApiExtension } from '@nestjs/swagger';

export type StabilityLevel = 'beta' | 'experimental';

/**
 * Marks an operation, or each operation that a controller itself declares, as not stable yet (`x-stability`). A beta
 * operation may change with notice, an experimental one at any time.
 */
export function Stability(level: StabilityLevel): ClassDecorator & MethodDecorator {
  return ApiExtension('x-stability', level);
}
