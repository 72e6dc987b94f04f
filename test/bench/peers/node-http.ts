// node:http alone, without a database, keys and routes: the upper limit for a service on Node.
import { createServer } from 'node:http';

const body = Buffer.from(process.env['LIST_BODY'] ?? '[]');

createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length });
  response.end(body);
}).listen(Number(process.env['PORT']), '127.0.0.1');
