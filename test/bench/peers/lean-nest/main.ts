// Nest on Express and pg, as an expert writes it: one guard, one interceptor, validated bodies, and one prepared statement
// for each request. It promises nothing of what this service adds.
import 'reflect-metadata';

import {
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  HttpException,
  InternalServerErrorException,
  Module,
  type NestInterceptor,
  UnauthorizedException,
  ValidationPipe,
} from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, APP_PIPE, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Request } from 'express';
import { catchError, throwError } from 'rxjs';

import { accountOf } from '../database.ts';
import { MessagesController } from './messages.ts';
import { PetsController, PetsService } from './pets.ts';

class KeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request & { accountId: number }>();
    const accountId = accountOf(request.headers.authorization);
    if (accountId === undefined) throw new UnauthorizedException();
    request.accountId = accountId;
    return true;
  }
}

class ErrorInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler) {
    return next
      .handle()
      .pipe(
        catchError((error: unknown) =>
          throwError(() => (error instanceof HttpException ? error : new InternalServerErrorException())),
        ),
      );
  }
}

@Module({
  controllers: [PetsController, MessagesController],
  providers: [
    PetsService,
    { provide: APP_GUARD, useClass: KeyGuard },
    { provide: APP_INTERCEPTOR, useClass: ErrorInterceptor },
    { provide: APP_PIPE, useValue: new ValidationPipe({ transform: true, whitelist: true }) },
  ],
})
class AppModule {}

const server = express().disable('etag').disable('x-powered-by');
const app = await NestFactory.create(AppModule, new ExpressAdapter(server), { logger: false });
await app.listen(Number(process.env['PORT']), '127.0.0.1');
