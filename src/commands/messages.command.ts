import { Command, InvalidArgumentError } from 'commander';
import { validate as isUuid } from 'uuid';

import type { Composition } from '../composition.js';
import { prettyJson } from '../domain/json.js';
import { MessagesService } from '../messages/messages.service.js';
import { table } from './table.js';
import { withServices } from './with-services.js';

/** `petstore messages` */
export function messagesCommand(composition: Composition): Command {
  const messages = new Command('messages').description('look after messages that could not be delivered');

  messages
    .command('parked')
    .description('list the messages that are not delivered any more, the longest ago first, and why')
    .option('--json', 'as JSON')
    .action(({ json = false }: { json?: boolean }) =>
      withServices(composition, async (services) => {
        const parked = await services.get(MessagesService).listParked();
        process.stdout.write(json ? prettyJson(parked) : `${messageTable(parked)}\n`);
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
        const count = await services.get(MessagesService).retryParked(id);
        console.log(`${count} to be delivered`);
      });
    });

  return messages;
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
  if (!isUuid(text)) throw new InvalidArgumentError('It is not the id of a message.');
  return text;
}
