import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What a webhook sent. */
interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** Takes what a webhook sends, and answers with the status that it is told. */
export interface WebhookReceiver {
  url: string;
  received: Received[];
  status: number;
  stop(): void;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      receiver.received.push({ headers: request.headers, body });
      response.writeHead(receiver.status).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received: [],
    status: 204,
    stop: () => {
      server.close().closeAllConnections();
    },
  };
  return receiver;
}
