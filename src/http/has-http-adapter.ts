import type { HttpAdapterHost } from '@nestjs/core';

/** Whether the application serves HTTP. Commands and testing modules have no adapter, whatever its type says. */
export function hasHttpAdapter(adapterHost: HttpAdapterHost): boolean {
  return Boolean((adapterHost as Partial<HttpAdapterHost>).httpAdapter);
}
