import { once } from 'node:events';
import { type ClientRequest, createServer, type RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';

import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';

import { listedResponse } from '#src/http/listed-response';

/** Something that a handler does with the headers of its answer, and what it gets for it. */
type Step = (response: ServerResponse) => unknown;

const name = fc.constantFrom(
  'Link',
  'link',
  'Set-Cookie',
  'set-cookie',
  'X-A',
  'x-a',
  'Content-Length',
  'bad name',
  '',
);
const value = fc.oneof(
  fc.constantFrom('a', 'b', '', 'ä', 'line\r\nX-Evil: 1', '☃'),
  fc.constantFrom(0, 3),
  fc.constantFrom(['a', 'b'], []),
  fc.constant(undefined as unknown as string),
);
const headers = fc.dictionary(fc.constantFrom('Link', 'x-a', 'Vary'), fc.constantFrom('c', 'd'));

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(name, value).map(
      ([n, v]): Step =>
        (to) =>
          void to.setHeader(n, copyOf(v)),
    ),
  },
  fc.tuple(name, fc.constantFrom('e', ['f', 'g'])).map(
    ([n, v]): Step =>
      (to) =>
        void to.appendHeader(n, copyOf(v)),
  ),
  name.map(
    (n): Step =>
      (to) =>
        to.removeHeader(n),
  ),
  name.map((n): Step => (to) => [to.getHeader(n), to.hasHeader(n)]),
  fc.constant<Step>((to) => [to.getHeaderNames(), { ...to.getHeaders() }]),
  fc.constant<Step>((to) =>
    (to as ServerResponse & Pick<ClientRequest, 'getRawHeaderNames'>).getRawHeaderNames(),
  ),
  fc.constant<Step>((to) => void to.setHeaders(new Map([['Vary', 'h']]))),
  fc.constant<Step>((to) => to.flushHeaders()),
  headers.map(
    (all): Step =>
      (to) =>
        void to.writeHead(202, all),
  ),
  headers.map(
    (all): Step =>
      (to) =>
        void to.writeHead(202, 'Taken', all),
  ),
  headers.map(
    (all): Step =>
      (to) =>
        void to.writeHead(202, undefined, all),
  ),
  fc.constant<Step>((to) => void to.writeHead(203)),
);

/** Node adds to a list that it was given. */
function copyOf<Value>(value: Value): Value {
  return structuredClone(value);
}

async function serve(Response: typeof ServerResponse, handle: RequestListener): Promise<number> {
  const server = createServer({ ServerResponse: Response }, handle).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test('whatever a handler does with its headers, it sees what Node shows, and its client gets what Node sends', async () => {
  let steps: Step[] = [];
  const told: unknown[] = [];
  const handle: RequestListener = (_request, response) => {
    response.sendDate = false;
    const seen = steps.map((take) => {
      try {
        return take(response);
      } catch (error) {
        return (error as NodeJS.ErrnoException).code;
      }
    });
    response.end();
    const headersOf = () => [response.getHeaderNames().toSorted(), response.getHeader('x-a')];
    told.push({ seen, sent: response.headersSent, headers: response.headersSent ? [] : headersOf() });
  };
  const ports = [
    await serve(ServerResponse, handle),
    await serve(listedResponse(Object.create(ServerResponse.prototype) as ServerResponse), handle),
  ];
  const answerOf = async (port: number) => {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    return [await text(socket), told.pop()];
  };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (taken) => {
      steps = taken;
      const [node, listed] = ports as [number, number];
      const expected = await answerOf(node);
      expect(await answerOf(listed)).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});
