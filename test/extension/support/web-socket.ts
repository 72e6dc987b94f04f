import { once } from 'node:events';

/** An open WebSocket that sends and receives JSON. */
export interface OpenWebSocket {
  send(message: object): void;
  /** The next message. */
  next(): Promise<unknown>;
  /** The code with which the connection was closed. */
  closed: Promise<number>;
  close(): void;
}

/** Node's WebSocket takes headers, which that of browsers does not. */
type NodeWebSocket = new (url: string, options: { headers: Record<string, string> }) => WebSocket;

export async function connectWebSocket(url: string, token: string): Promise<OpenWebSocket> {
  const socket = new (WebSocket as unknown as NodeWebSocket)(url.replace('http', 'ws'), {
    headers: { authorization: `Bearer ${token}` },
  });
  const closed = once(socket, 'close').then(([event]) => (event as { code: number }).code);
  await once(socket, 'open');
  return {
    send: (message) => socket.send(JSON.stringify(message)),
    next: async () => {
      const [event] = (await once(socket, 'message')) as [{ data: string }];
      return JSON.parse(event.data) as unknown;
    },
    closed,
    close: () => socket.close(),
  };
}
