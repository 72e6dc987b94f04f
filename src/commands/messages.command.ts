import type { DynamicModule, Type } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { type Command, InvalidArgumentError } from 'commander';

import { MessagesService } from '../messages/messages.service.js';
import { createCommand } from './create-command.js';
import { jsonArray } from './json-array.js';
import { print, printAll } from './output.js';
import { type Columns, table } from './table.js';
import { withServices } from './with-services.js';

/** The maximum number of parked messages in a list. */
const LIST_LIMIT = 1000;

/** `petstore messages` */
export function messagesCommand(root: Type | DynamicModule): Command {
  const messages = createCommand('messages').description(
    'list and retry messages that could not be delivered',
  );

  messages
    .command('parked')
    .description('list the messages whose last attempt failed, oldest first, with the last error')
    .option('--json', 'print a JSON array')
    .action(({ json = false }: { json?: boolean }) =>
      withServices(root, async (services) => {
        const found = await services.get(MessagesService).listParked(LIST_LIMIT + 1);
        const pages = [found.slice(0, LIST_LIMIT)];
        await printAll(json ? jsonArray(pages) : table(COLUMNS, pages));
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
        const count = id === undefined ? await messages.retryAllParked() : await retryOne(messages, id);
        await print(`${count} queued`);
      });
    });

  return messages;
}

async function retryOne(messages: MessagesService, id: string): Promise<number> {
  await messages.retryParked(id);
  return 1;
}

type ParkedMessage = Awaited<ReturnType<MessagesService['listParked']>>[number];

const COLUMNS: Columns<ParkedMessage> = {
  ID: (message) => message.id,
  'ACCOUNT ID': (message) => message.accountId,
  ATTEMPTS: (message) => message.attempts,
  PARKED: (message) => message.parkedAt,
  'LAST ERROR': (message) => message.lastError,
};

function messageId(text: string): string {
  if (!isUUID(text)) throw new InvalidArgumentError('The id of a message is a UUID.');
  return text;
}
