import { once } from 'node:events';
import { connect } from 'node:net';

/** The response on a raw connection. */
export interface RawAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** The time after which a connection without further data fails the test. */
const TIMEOUT_MS = 20_000;

/** Sends raw bytes, even an incomplete request, and resolves with the first complete response. */
export async function sendRaw(url: string, bytes: string | Uint8Array): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(bytes);
  let received = '';
  socket.setTimeout(TIMEOUT_MS, () =>
    socket.destroy(new Error(`The service waits. It has sent ${JSON.stringify(received)}.`)),
  );
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      received += chunk.toString('latin1');
      const answer = parseAnswer(received);
      if (answer) return answer;
    }
  } finally {
    socket.destroy();
  }
  throw new Error(`The connection ended before an answer was complete: ${JSON.stringify(received)}`);
}

function parseAnswer(received: string): RawAnswer | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = received.slice(0, end).split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const [name = '', ...value] = line.split(':');
      return [name, value.join(':').trim()];
    }),
  );
  const text = received.slice(end + 4);
  if (text.length < Number(headers.get('content-length') ?? 0)) return undefined;
  return { status: Number(statusLine.split(' ')[1]), headers, text };
}
