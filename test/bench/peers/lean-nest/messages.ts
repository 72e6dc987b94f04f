import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { IsString } from 'class-validator';

import { queueMessage } from '../database.ts';

class NewMessage {
  @IsString()
  message!: string;
}

@Controller('v1/messages')
export class MessagesController {
  @Post()
  @HttpCode(202)
  createMessage(@Body() { message }: NewMessage, @Req() request: { accountId: number }) {
    return queueMessage(request.accountId, message);
  }
}
