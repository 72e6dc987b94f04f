import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import { onTestFinished } from 'vitest';

/** A connection on which a test writes raw HTTP. It closes at the end of the running test. */
export class Connection {
  private text = '';

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('utf8').on('data', (text: string) => (this.text += text));
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
  }

  static async to(url: string): Promise<Connection> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** Writes lines, the last one without a line end. */
  write(...lines: string[]): this {
    this.socket.write(lines.join('\r\n'));
    return this;
  }

  /** Returns all received data. */
  received = () => this.text;
  isClosed = () => this.socket.closed;
}
