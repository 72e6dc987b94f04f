import { Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';

import { CONFIG, type Config } from '../config/config.js';
import { FixedWindows } from './fixed-windows.js';
import { WINDOW_MS } from './quota.js';

/** Limits the requests of a client per minute, if the configuration sets a limit. */
@Module({
  imports: [
    ThrottlerModule.forRootAsync({
      inject: [CONFIG],
      useFactory: ({ rateLimitPerMinute: limit }: Config) => ({
        throttlers: [{ limit: limit ?? Infinity, ttl: WINDOW_MS }],
        skipIf: () => limit === undefined,
        storage: new FixedWindows(),
      }),
    }),
  ],
  exports: [ThrottlerModule],
})
export class RateLimitModule {}
