// Express and pg, as the production guides of Express recommend.
import express, { type NextFunction, type Request, type Response } from 'express';

import { accountOf, createPet, findPet, listPets, queueMessage, toListQuery, toNewPet } from './database.ts';

const refuse = (response: Response, status: number, code: string) =>
  response.status(status).json({ code, message: code, status });

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.set('query parser', 'simple');

app.use((request, response, next) => {
  const account = accountOf(request.headers.authorization);
  if (account === undefined) {
    refuse(response, 401, 'unauthorized');
    return;
  }
  response.locals['account'] = account;
  next();
});
app.use(express.json());

app.get('/v1/pets', async (request, response) => {
  const query = toListQuery(request.query['limit'], request.query['status']);
  if (!query) refuse(response, 400, 'invalid_request');
  else response.json(await listPets(query.limit, query.status));
});

app.get('/v1/pets/:petId', async (request, response) => {
  const id = Number(request.params.petId);
  const pet = Number.isSafeInteger(id) ? await findPet(id) : undefined;
  if (pet) response.json(pet);
  else refuse(response, 404, 'not_found');
});

app.post('/v1/pets', async (request, response) => {
  const newPet = toNewPet(request.body);
  if (!newPet) refuse(response, 400, 'invalid_request');
  else response.status(201).json(await createPet(newPet));
});

app.post('/v1/messages', async (request, response) => {
  const { message } = (request.body ?? {}) as { message?: unknown };
  if (typeof message !== 'string') refuse(response, 400, 'invalid_request');
  else response.status(202).json(await queueMessage(response.locals['account'] as number, message));
});

app.use((error: { status?: number }, _request: Request, response: Response, next: NextFunction) => {
  if (response.headersSent) next(error);
  else if (error.status === 400) refuse(response, 400, 'invalid_request');
  else refuse(response, 500, 'internal_error');
});

app.listen(Number(process.env['PORT']), '127.0.0.1');
