import type { DynamicModule, Type } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { Command, InvalidArgumentError } from 'commander';

import { MessagesService } from '../messages/messages.service.js';
import { printRows } from './output.js';
import { withServices } from './with-services.js';

/** The maximum number of parked messages in a list. */
const LIST_LIMIT = 1000;

/** `petstore messages` */
export function messagesCommand(root: Type | DynamicModule): Command {
  const messages = new Command('messages').description('list and retry messages that could not be delivered');

  messages
    .command('parked')
    .description('list the messages whose last attempt failed, oldest first, with the last error')
    .option('--json', 'print a JSON array')
    .action(({ json }: { json?: boolean }) =>
      withServices(root, async (services) => {
        const found = await services.get(MessagesService).listParked(LIST_LIMIT + 1);
        printRows(found.slice(0, LIST_LIMIT), json);
        if (found.length > LIST_LIMIT) console.error(`Only the first ${LIST_LIMIT} messages are listed.`);
      }),
    );

  messages
    .command('retry')
    .description('queue a parked message for delivery again')
    .argument('[id]', 'the id of the message, as listed', messageId)
    .option('--all', 'all parked messages')
    .action((id: string | undefined, { all = false }: { all?: boolean }, command: Command) => {
      if ((id === undefined) !== all) command.error('error: give the id of one message, or --all');
      return withServices(root, async (services) => {
        const messages = services.get(MessagesService);
        const count = id === undefined ? await messages.retryAllParked() : 1;
        if (id !== undefined) await messages.retryParked(id);
        console.log(`${count} queued`);
      });
    });

  return messages;
}

function messageId(text: string): string {
  if (isUUID(text)) return text;
  throw new InvalidArgumentError('The id of a message is a UUID.');
}
