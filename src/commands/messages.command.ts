import { Command, InvalidArgumentError } from 'commander';
import { isUUID } from 'class-validator';

import type { Composition } from '../app.module.js';
import { stringifyJson } from '../domain/json.js';
import { MessagesService } from '../messages/messages.service.js';
import { table } from './table.js';
import { withServices } from './with-services.js';

/** How many parked messages are listed. Where a receiver was away for a day, all of them are too many to read. */
const LIST_LIMIT = 1000;

/** `petstore messages` */
export function messagesCommand(composition: Composition): Command {
  const messages = new Command('messages').description('look after messages that could not be delivered');

  messages
    .command('parked')
    .description('list the messages that are not delivered any more, the longest ago first, and why')
    .option('--json', 'as JSON')
    .action(({ json = false }: { json?: boolean }) =>
      withServices(composition, async (services) => {
        const found = await services.get(MessagesService).listParked(LIST_LIMIT + 1);
        const parked = found.slice(0, LIST_LIMIT);
        process.stdout.write(json ? `${stringifyJson(parked, 2)}\n` : `${messageTable(parked)}\n`);
        if (found.length > LIST_LIMIT) console.error(`There are more than these ${LIST_LIMIT}.`);
      }),
    );

  messages
    .command('retry')
    .description('have a parked message delivered after all')
    .argument('[id]', 'the id of the message, as listed', messageId)
    .option('--all', 'all that are parked')
    .action((id: string | undefined, { all = false }: { all?: boolean }, command: Command) => {
      if ((id === undefined) !== all) command.error('error: name one message, or say --all');
      return withServices(composition, async (services) => {
        const messages = services.get(MessagesService);
        const count = id === undefined ? await messages.retryAllParked() : await retryOne(messages, id);
        console.log(`${count} to be delivered`);
      });
    });

  return messages;
}

async function retryOne(messages: MessagesService, id: string): Promise<number> {
  await messages.retryParked(id);
  return 1;
}

type ParkedMessage = Awaited<ReturnType<MessagesService['listParked']>>[number];

function messageTable(messages: ParkedMessage[]): string {
  return table(
    ['ID', 'ACCOUNT ID', 'ATTEMPTS', 'PARKED', 'LAST ERROR'],
    messages.map(({ id, accountId, attempts, parkedAt, lastError }) => [
      id,
      accountId,
      attempts,
      parkedAt,
      lastError,
    ]),
  );
}

function messageId(text: string): string {
  if (!isUUID(text)) throw new InvalidArgumentError('It is not the id of a message.');
  return text;
}
