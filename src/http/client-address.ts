import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

import { normalizeIp } from '@nestjs/throttler';

/**
 * Returns the address of a client, for limits: that of the connection, or the one that a trusted proxy forwards, with or
 * without a port. An IPv6 address stands for its network. A text that is no address counts as that of the connection.
 */
export function clientAddressOf({ ip = '', socket }: IncomingMessage & { ip?: string | undefined }): string {
  const withoutPort = /^(?:\[(?<v6>.+)\]|(?<v4>[\d.]+))(?::\d+)?$/.exec(ip)?.groups;
  const address = withoutPort?.['v6'] ?? withoutPort?.['v4'] ?? ip;
  return normalizeIp(isIP(address) === 0 ? (socket.remoteAddress ?? '') : address);
}
