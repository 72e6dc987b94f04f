import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  Logger,
  type NestInterceptor,
} from '@nestjs/common';
import { finalize, type Observable } from 'rxjs';

import { shelterConfig, type ShelterConfig } from '../shelter.config.js';

/** Logs the handlers that take longer than SLOW_REQUEST_MS. */
@Injectable()
export class SlowRequestInterceptor implements NestInterceptor {
  private readonly logger = new Logger('SlowRequest');

  constructor(@Inject(shelterConfig.KEY) private readonly config: ShelterConfig) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const startedAt = performance.now();
    return next.handle().pipe(
      finalize(() => {
        const durationMs = performance.now() - startedAt;
        if (durationMs >= this.config.SLOW_REQUEST_MS) {
          this.logger.warn(`${context.getHandler().name} took ${Math.round(durationMs)} ms`);
        }
      }),
    );
  }
}
