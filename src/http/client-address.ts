import { isIP } from 'node:net';

import { normalizeIp } from '@nestjs/throttler';
import type { Request } from 'express';

/**
 * Returns the address of a client, for limits: that of the connection, or the one that a trusted proxy forwards, with or
 * without a port. An IPv6 address stands for its network. A text that is no address counts as that of the connection.
 */
export function clientAddressOf({ ip = '', socket }: Request): string {
  const withoutPort = /^(?:\[(?<v6>.+)\]|(?<v4>[\d.]+))(?::\d+)?$/.exec(ip)?.groups;
  const address = withoutPort?.['v6'] ?? withoutPort?.['v4'] ?? ip;
  return normalizeIp(isIP(address) === 0 ? (socket.remoteAddress ?? '') : address);
}
