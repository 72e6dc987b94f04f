import { type FactoryProvider, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';

import { CONFIG, type Config } from '../config/config.js';
import { FixedWindows } from './fixed-windows.js';
import { WINDOW_MS } from './quota.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import { RefusedKeyFilter } from './refused-key.filter.js';

/**
 * Limits what a client may ask in a minute. The module of the keys imports it, so that its guard runs
 * after theirs; without a limit, neither its guard nor its filter is on any request's way.
 */
@Module({
  imports: [
    ThrottlerModule.forRootAsync({
      inject: [CONFIG],
      useFactory: ({ rateLimitPerMinute: limit = Infinity }: Config) => ({
        throttlers: [{ limit, ttl: WINDOW_MS }],
        storage: new FixedWindows(),
      }),
    }),
  ],
  providers: [
    RateLimitGuard,
    RefusedKeyFilter,
    whenLimited(APP_GUARD, RateLimitGuard),
    whenLimited(APP_FILTER, RefusedKeyFilter),
  ],
})
export class RateLimitModule {}

/** Nest leaves out a global enhancer whose factory gives nothing. */
function whenLimited(provide: string, enhancer: Type): FactoryProvider {
  return {
    provide,
    inject: [CONFIG, enhancer],
    useFactory: ({ rateLimitPerMinute }: Config, instance: unknown) =>
      rateLimitPerMinute === undefined ? undefined : instance,
  };
}
