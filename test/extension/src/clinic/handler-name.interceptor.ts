import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';

/** Adds a header with the name of the handler if the request has `X-Debug`. */
@Injectable()
export class HandlerNameInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const http = context.switchToHttp();
    if (http.getRequest<Request>().headers['x-debug'] !== undefined) {
      http.getResponse<Response>().setHeader('X-Handler', context.getHandler().name);
    }
    return next.handle();
  }
}
