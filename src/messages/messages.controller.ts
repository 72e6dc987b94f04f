import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

import type { AuthenticatedRequest } from '../auth/caller.decorator.js';
import { JsonBody } from '../http/json-body.decorator.js';
import { Idempotency } from '../idempotency/idempotency.js';
import { Idempotent, REPLAYED } from '../idempotency/idempotent.decorator.js';
import { Answers } from '../openapi/api-responses.decorator.js';
import { ApiErrors } from '../openapi/api-errors.decorator.js';
import { Stability } from '../openapi/stability.decorator.js';
import { Message, NewMessage } from './message.dto.js';
import { MessagesService } from './messages.service.js';

@ApiTags('Messages')
@Controller('v1/messages')
export class MessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly idempotency: Idempotency,
  ) {}

  /**
   * Queue a message
   *
   * @remarks The message is accepted, which is not to say that it was delivered.
   */
  @Post()
  @HttpCode(202)
  @Stability('beta')
  @Answers(202, Message, 'The message, which is queued.', REPLAYED)
  @Idempotent()
  @ApiErrors('invalid_request', 'payload_too_large')
  createMessage(@JsonBody() newMessage: NewMessage, @Req() request: AuthenticatedRequest): Promise<Message> {
    return this.idempotency.once(request, newMessage, (transaction) =>
      this.messages.queue(request.caller.accountId, newMessage, transaction),
    );
  }
}
