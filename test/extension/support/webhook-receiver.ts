import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request of a webhook. */
interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A server that receives webhooks, and answers with the given status. */
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
