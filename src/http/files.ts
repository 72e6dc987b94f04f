import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';

/**
 * Serves files of a directory, each at its own address, read when they are asked for. A browser asks again
 * whether they have changed once `maxAge` is over.
 *
 * @param files the name of the file by its address
 */
export function serveFiles(
  app: NestExpressApplication,
  root: string,
  files: Readonly<Record<string, string>>,
  maxAge: string | number = 0,
): void {
  const express: Express = app.getHttpAdapter().getInstance();
  for (const [address, file] of Object.entries(files)) {
    express.get(address, (_request, response) => response.sendFile(file, { root, maxAge }));
  }
}
