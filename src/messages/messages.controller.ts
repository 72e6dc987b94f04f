import { Body, Controller, HttpCode, Post, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiAcceptedResponse, ApiTags } from '@nestjs/swagger';

import { InvalidRequest } from '../domain/errors.js';
import { BODY_ERRORS } from '../http/errors/http-errors.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import { Idempotent, IdempotentRequest, REPLAYED } from '../idempotency/idempotent.decorator.js';
import { ApiErrors } from '../openapi/decorators/api-errors.decorator.js';
import { Stability } from '../openapi/decorators/stability.decorator.js';
import { Message, NewMessage } from './message.dto.js';
import { MessagesService } from './messages.service.js';

@ApiTags('Messages')
@Controller({ path: 'v1/messages', version: VERSION_NEUTRAL })
export class MessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * Queue a message
   *
   * @remarks Accepts a message for delivery. The response does not mean that the message was delivered.
   */
  @Post()
  @HttpCode(202)
  @Stability('beta')
  @ApiAcceptedResponse({ type: Message, description: 'The queued message.', headers: REPLAYED })
  @Idempotent()
  @ApiErrors(new InvalidRequest('message is required.'), ...BODY_ERRORS)
  createMessage(
    @Body() newMessage: NewMessage,
    @IdempotentRequest() request: IdempotentRequest,
  ): Promise<Message> {
    return this.idempotency.run(request, newMessage, (transaction) =>
      this.messages.queue(request.accountId, newMessage, transaction),
    );
  }
}
