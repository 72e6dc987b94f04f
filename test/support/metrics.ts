import { isDeepStrictEqual } from 'node:util';

import { register } from 'prom-client';

/** Returns the value of a counter of this process, or 0 if it has none with these labels. */
export async function counterOf(name: string, labels: Record<string, string>): Promise<number> {
  const metric = await register.getSingleMetric(name)?.get();
  return metric?.values.find((each) => isDeepStrictEqual(each.labels, labels))?.value ?? 0;
}
