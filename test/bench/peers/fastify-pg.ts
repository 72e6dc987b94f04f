// Fastify and pg, with a schema for each request and response.
import { fastify } from 'fastify';

import { accountOf, createPet, findPet, listPets, type NewPet, queueMessage, STATUSES } from './database.ts';

const text = { type: 'string' };
const integer = { type: 'integer' };
const status = { type: 'string', enum: STATUSES };
const pet = {
  type: 'object',
  required: ['id', 'name', 'categoryId'],
  properties: { id: integer, name: text, categoryId: integer, status },
};
const newPet = {
  type: 'object',
  required: ['name', 'categoryId'],
  properties: { name: text, categoryId: integer, status },
};
const message = {
  type: 'object',
  required: ['id', 'message', 'status', 'createdAt'],
  properties: { id: text, message: text, status: text, createdAt: { type: 'string', format: 'date-time' } },
};
const error = { type: 'object', properties: { code: text, message: text, status: integer } };
const listQuery = {
  type: 'object',
  properties: { limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 }, status },
};

const refusal = (status: number, code: string) => ({ code, message: code, status });

const app = fastify({ logger: false });
app.decorateRequest('account', 0);

app.addHook('onRequest', async (request, reply) => {
  const account = accountOf(request.headers.authorization);
  if (account === undefined) return reply.code(401).send(refusal(401, 'unauthorized'));
  request.setDecorator('account', account);
});

app.setErrorHandler<{ statusCode?: number }>((failure, _request, reply) => {
  const invalid = failure.statusCode === 400;
  return reply
    .code(invalid ? 400 : 500)
    .send(invalid ? refusal(400, 'invalid_request') : refusal(500, 'internal_error'));
});

app.get<{ Querystring: { limit: number; status?: string } }>(
  '/v1/pets',
  { schema: { querystring: listQuery, response: { 200: { type: 'array', items: pet }, '4xx': error } } },
  (request) => listPets(request.query.limit, request.query.status),
);

app.get<{ Params: { petId: string } }>(
  '/v1/pets/:petId',
  { schema: { response: { 200: pet, '4xx': error } } },
  async (request, reply) => {
    const id = Number(request.params.petId);
    const found = Number.isSafeInteger(id) ? await findPet(id) : undefined;
    return found ?? reply.code(404).send(refusal(404, 'not_found'));
  },
);

app.post<{ Body: NewPet }>(
  '/v1/pets',
  { schema: { body: newPet, response: { 201: pet, '4xx': error } } },
  async (request, reply) => reply.code(201).send(await createPet(request.body)),
);

app.post<{ Body: { message: string } }>(
  '/v1/messages',
  {
    schema: {
      body: { type: 'object', required: ['message'], properties: { message: text } },
      response: { 202: message, '4xx': error },
    },
  },
  async (request, reply) =>
    reply.code(202).send(await queueMessage(request.getDecorator<number>('account'), request.body.message)),
);

await app.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
