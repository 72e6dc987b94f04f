import type { Socket } from 'node:net';

/** How long a client may go on sending what nobody reads. */
const LINGER_MS = 5000;

/**
 * Has a connection, whose request was answered before all of it was read, closed as RFC 9112 wants it (section
 * 9.6): first the way out, and the way in when the client has ended, or 5 seconds are over. To close both at
 * once would reset the connection of a client that still sends, and the answer might never be read.
 */
export function lingerAtClose(socket: Socket): void {
  // Node asks for this when the answer is written; what arrives from then on, it throws away.
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('end', () => socket.destroy()).once('close', () => clearTimeout(timer));
  };
}
