// Nest without a database: one guard, one interceptor and one pipe for all requests, and handlers that return constants.
// It shows what Nest and Express take of a request.
import 'reflect-metadata';

import {
  type CallHandler,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Module,
  type NestInterceptor,
  Param,
  type PipeTransform,
  Query,
} from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, APP_PIPE, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Request } from 'express';
import { catchError, throwError } from 'rxjs';

const authorization = `Bearer ${process.env['API_KEY']}`;
const pets = JSON.parse(process.env['LIST_BODY'] ?? '[]') as object[];

/* eslint-disable @typescript-eslint/no-unused-vars -- Nest reads the parameters from the request all the same. */
@Controller('v1/pets')
class PetsController {
  @Get()
  listPets(@Query() _query: object): object[] {
    return pets;
  }

  @Get(':petId')
  getPet(@Param('petId') _petId: string): object | undefined {
    return pets[0];
  }
}

/* eslint-enable @typescript-eslint/no-unused-vars */

class KeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return context.switchToHttp().getRequest<Request>().headers.authorization === authorization;
  }
}

class EmptyInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler) {
    return next.handle().pipe(catchError((error: unknown) => throwError(() => error)));
  }
}

class EmptyPipe implements PipeTransform {
  transform(value: unknown): unknown {
    return value;
  }
}

@Module({
  controllers: [PetsController],
  providers: [
    { provide: APP_GUARD, useClass: KeyGuard },
    { provide: APP_INTERCEPTOR, useClass: EmptyInterceptor },
    { provide: APP_PIPE, useClass: EmptyPipe },
  ],
})
class AppModule {}

const server = express().disable('etag').disable('x-powered-by');
const app = await NestFactory.create(AppModule, new ExpressAdapter(server), {
  logger: false,
  bodyParser: false,
});
await app.listen(Number(process.env['PORT']), '127.0.0.1');
