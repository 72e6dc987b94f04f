import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { DomainError } from 'petstore';
import type { WebSocket } from 'ws';

/** Sends the code and the message of an error to the client of a gateway. */
@Catch(DomainError)
export class RefusedMessageFilter implements ExceptionFilter {
  catch({ code, message }: DomainError, host: ArgumentsHost): void {
    host
      .switchToWs()
      .getClient<WebSocket>()
      .send(JSON.stringify({ event: 'error', data: { code, message } }));
  }
}
