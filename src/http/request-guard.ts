import type { CanActivate, FactoryProvider, Type } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';

/**
 * Runs a guard on every request. Nest also runs global guards on the messages of WebSocket gateways, which authenticate
 * their connections themselves.
 */
export function requestGuard(guard: Type<CanActivate>): FactoryProvider<CanActivate> {
  return {
    provide: APP_GUARD,
    inject: [guard],
    useFactory: (instance: CanActivate) => ({
      canActivate: (context) => context.getType() === 'ws' || instance.canActivate(context),
    }),
  };
}
