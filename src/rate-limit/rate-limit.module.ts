import { Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';

import { CONFIG, type Config } from '../config/config.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import { RateLimiter, WINDOW_MS } from './rate-limiter.js';

/** Limits the requests of a client. */
@Module({
  imports: [
    ThrottlerModule.forRootAsync({
      inject: [CONFIG],
      useFactory: ({ rateLimitPerMinute: limit = Infinity }: Config) => [{ limit, ttl: WINDOW_MS }],
    }),
  ],
  providers: [RateLimiter, RateLimitGuard],
  exports: [RateLimiter, RateLimitGuard],
})
export class RateLimitModule {}
