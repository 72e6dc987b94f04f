import type { DynamicModule, Type } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { type Command, InvalidArgumentError } from 'commander';

import { MessagesService } from '../messages/messages.service.js';
import { printRows } from './output.js';
import { withServices } from './with-services.js';

const LIST_LIMIT = 1000;

export function addMessages(petstore: Command, root: Type | DynamicModule): void {
  const messages = petstore.command('messages').description('list, retry and discard parked messages');

  messages
    .command('parked')
    .description('list the messages whose last attempt failed, oldest first, with the last error')
    .action(() =>
      withServices(root, async (services) => {
        let last: string | undefined;
        do {
          const rows = await services.get(MessagesService).listParked(LIST_LIMIT, last);
          printRows(rows);
          last = rows.at(-1)?.id;
        } while (last !== undefined);
      }),
    );

  const addChange = (
    name: string,
    description: string,
    all: string,
    change: (messages: MessagesService, id?: string) => Promise<string>,
  ) =>
    messages
      .command(name)
      .description(description)
      .argument('[id]', 'the id of the message, as listed', messageId)
      .option('--all', all)
      .action((id: string | undefined, { all = false }: { all?: boolean }, command: Command) => {
        if ((id === undefined) !== all) command.error('error: give the id of one message, or --all');
        return withServices(root, async (services) => {
          console.log(await change(services.get(MessagesService), id));
        });
      });

  addChange(
    'retry',
    'queue a message for delivery now that is parked, or waits for its next attempt',
    'all messages that are parked, or wait longer than an attempt may take',
    async (messages, id) => `${await messages.retry(id)} queued`,
  );
  addChange(
    'discard',
    'delete a parked message',
    'all parked messages',
    async (messages, id) => `${await messages.discardParked(id)} discarded`,
  );
}

function messageId(text: string): string {
  if (isUUID(text)) return text;
  throw new InvalidArgumentError('The id of a message is a UUID.');
}
