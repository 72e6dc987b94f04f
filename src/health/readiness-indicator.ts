import type { HealthIndicatorResult } from '@nestjs/terminus';

/**
 * A check that must succeed for the service to be ready. Add a class that extends it to the providers of a module, and
 * report the result with `HealthIndicatorService` of `@nestjs/terminus`.
 */
export abstract class ReadinessIndicator {
  abstract check(): PromiseLike<HealthIndicatorResult>;
}
