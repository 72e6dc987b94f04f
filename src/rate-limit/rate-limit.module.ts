import { Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';

import { CONFIG, type Config } from '../config/config.js';
import { FixedWindows } from './fixed-windows.js';
import { WINDOW_MS } from './quota.js';
import { RateLimitGuard } from './rate-limit.guard.js';

/** Limits the requests of a client per minute, if the configuration sets a limit. */
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
  providers: [RateLimitGuard],
  exports: [RateLimitGuard],
})
export class RateLimitModule {}
