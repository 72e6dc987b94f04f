import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

import protobuf from 'protobufjs';
import { onTestFinished } from 'vitest';

/** An exported span. Its ids are hexadecimal; without a parent, the parent's id is ''. */
export interface CollectedSpan {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  traceState: string;
  attributes: Record<string, unknown>;
  /** The ids of the linked spans. */
  links: string[];
  status: number;
  resource: Record<string, unknown>;
}

/** A receiver of OTLP over HTTP with protobuf. */
export interface Collector {
  /** The variables that make a service export spans at once. */
  environment: Record<string, string>;
  spans: CollectedSpan[];
  requests: { url: string; headers: IncomingHttpHeaders }[];
}

interface WireAttribute {
  key: string;
  value: Record<string, unknown>;
}

interface WireSpan extends Omit<CollectedSpan, 'attributes' | 'links' | 'status' | 'resource'> {
  attributes: WireAttribute[];
  links: { spanId: string }[];
  status: { code: number } | null;
}

interface WireTraces {
  resourceSpans: { resource: { attributes: WireAttribute[] }; scopeSpans: { spans: WireSpan[] }[] }[];
}

const PROTOCOL = await protobuf.load(new URL('collector.proto', import.meta.url).pathname);

/** Starts a collector. By default, it stops at the end of the running test. */
export async function startCollector(
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
): Promise<Collector> {
  const collected: Pick<Collector, 'spans' | 'requests'> = { spans: [], requests: [] };
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      collected.requests.push({ url: request.url ?? '', headers: request.headers });
      collected.spans.push(...decode(body));
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  atEnd(() => {
    server.close();
    server.closeAllConnections();
    return Promise.resolve();
  });
  const { port } = server.address() as AddressInfo;
  return {
    ...collected,
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_BSP_SCHEDULE_DELAY: '10',
    },
  };
}

function decode(body: Buffer): CollectedSpan[] {
  const type = PROTOCOL.lookupType('TracesData');
  const traces = type.toObject(type.decode(body), {
    bytes: Array,
    longs: Number,
    defaults: true,
    arrays: true,
  }) as WireTraces;
  return traces.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentSpanId: hex(span.parentSpanId),
        attributes: valuesOf(span.attributes),
        links: span.links.map((link) => hex(link.spanId)),
        status: span.status?.code ?? 0,
        resource: valuesOf(resource.attributes),
      })),
    ),
  );
}

function hex(bytes: string): string {
  return Buffer.from(bytes as unknown as number[]).toString('hex');
}

function valuesOf(attributes: WireAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
