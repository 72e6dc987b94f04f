import {
  type DynamicModule,
  Global,
  type MiddlewareConsumer,
  Module,
  type ModuleMetadata,
  type NestModule,
  RequestMethod,
  type Type,
} from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { replaceModule } from '../feature-module.js';
import { AccountEntity } from './accounts/account.entity.js';
import { AccountsRepository } from './accounts/accounts.repository.js';
import { AccountsController } from './accounts.controller.js';
import { Authenticator } from './callers/authenticator.js';
import { KeyVerifier } from './callers/key-verifier.js';
import { RateLimiter } from './callers/rate-limiter.js';
import { ApiKeyVerifier } from './keys/api-key-verifier.js';
import { KeysRepository } from './keys/keys.repository.js';
import { KeysService } from './keys/keys.service.js';
import { SignupMiddleware } from './signup.middleware.js';

/** The operations on accounts and keys. */
@Module({ providers: [SignupMiddleware], controllers: [AccountsController] })
export class AccountsModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(SignupMiddleware).forRoutes({ path: 'accounts', method: RequestMethod.POST });
  }
}

export interface AuthOptions extends Pick<ModuleMetadata, 'imports'> {
  /** Only with one that extends `ApiKeyVerifier`, the service issues keys. */
  readonly verifier: Type<KeyVerifier>;
}

const EXPORTED = [Authenticator, KeysService, AccountsRepository, RateLimiter];

function metadataOf({ verifier, imports = [] }: AuthOptions): ModuleMetadata {
  const issuesKeys = verifier === ApiKeyVerifier || verifier.prototype instanceof ApiKeyVerifier;
  return {
    imports: [TypeOrmModule.forFeature([AccountEntity]), ...imports, ...(issuesKeys ? [AccountsModule] : [])],
    providers: [...EXPORTED, KeysRepository, { provide: KeyVerifier, useClass: verifier }],
    exports: [...EXPORTED, KeyVerifier],
  };
}

/** Accounts and keys, and the guard that authenticates and limits the requests of every operation. */
@Global()
@Module(metadataOf({ verifier: ApiKeyVerifier }))
export class AuthModule {
  /** Registers the guard with another verifier of keys. */
  static register(options: AuthOptions): DynamicModule {
    return replaceModule(AuthModule, metadataOf(options));
  }
}
