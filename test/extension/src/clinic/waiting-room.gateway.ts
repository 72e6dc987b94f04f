import type { IncomingMessage } from 'node:http';

import { Logger, type OnApplicationShutdown, UseFilters } from '@nestjs/common';
import {
  ConnectedSocket,
  MessageBody,
  type OnGatewayConnection,
  SubscribeMessage,
  WebSocketGateway,
  type WsResponse,
} from '@nestjs/websockets';
import { KeyVerifier, NameField, ObjectField } from 'petstore';
import type { WebSocket } from 'ws';

import { RefusedMessageFilter } from './refused-message.filter.js';

/** The person who brings an animal. */
class Keeper {
  @NameField({ example: 'Ann' })
  readonly name!: string;
}

/** An animal that has come. */
class Arrival {
  @NameField({ example: 'Tom' })
  readonly name!: string;

  @ObjectField(Keeper, { required: false })
  readonly keeper?: Keeper;
}

/** Says how many animals wait. Clients connect with a token, as for a request. */
@WebSocketGateway({ path: '/clinic/waiting-room' })
@UseFilters(RefusedMessageFilter)
export class WaitingRoomGateway implements OnGatewayConnection, OnApplicationShutdown {
  private readonly waiting: string[] = [];
  private readonly accepted = new WeakMap<WebSocket, Promise<boolean>>();
  private readonly logger = new Logger(WaitingRoomGateway.name);

  constructor(private readonly tokens: KeyVerifier) {}

  async handleConnection(client: WebSocket, request: IncomingMessage): Promise<void> {
    const accepted = this.accept(request);
    this.accepted.set(client, accepted);
    if (!(await accepted)) client.close(1008, 'The token is not valid.');
  }

  @SubscribeMessage('arrive')
  async arrive(
    @ConnectedSocket() client: WebSocket,
    @MessageBody() { name }: Arrival,
  ): Promise<WsResponse<{ count: number }> | undefined> {
    if (!(await this.accepted.get(client))) return undefined;
    return { event: 'waiting', data: { count: this.waiting.push(name) } };
  }

  onApplicationShutdown(signal = 'no signal'): void {
    this.logger.log(`The waiting room closes after ${signal}.`);
  }

  private async accept({ headers: { authorization = '' } }: IncomingMessage): Promise<boolean> {
    try {
      return (await this.tokens.findCaller(authorization.replace(/^Bearer +/i, ''))) !== undefined;
    } catch {
      return false;
    }
  }
}
