import { ApiProperty } from '@nestjs/swagger';

import { OpenEnumField, TextField } from '../http/validation/field.decorators.js';
import { MessageStatus } from './message.entity.js';

/** A message to queue. */
export class NewMessage {
  /** The text to send: any Unicode text, without U+0000 and lone surrogates. It may be empty. */
  @TextField({ example: 'The cat is ready to be picked up.' })
  readonly message!: string;
}

/** A queued message. */
export class Message extends NewMessage {
  /** Identifier, assigned by the service: a UUID of version 7 (RFC 9562). */
  @ApiProperty({ type: 'string', format: 'uuid', example: '019a9f3c-5c00-7e1b-8a4d-3f6b2c9d1e0f' })
  readonly id!: string;

  /** `queued`: the service has accepted the message, and may not have delivered it. New values may be added. */
  @OpenEnumField(MessageStatus, { example: 'queued' })
  readonly status!: string;

  /** When the message was accepted, in UTC. */
  @ApiProperty({ type: 'string', format: 'date-time', example: '2026-11-20T09:30:00.000Z' })
  readonly createdAt!: Date;
}
