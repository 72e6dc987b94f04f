import { isUtf8 } from 'node:buffer';

import type { Type } from '@nestjs/common';

import { InvalidRequest } from '../../domain/errors.js';
import { parseJsonBody } from '../../http/body.guard.js';
import { RequestValidationPipe } from '../../http/validation/validation.pipe.js';
import type { NewPet } from '../../pets/pet.dto.js';
import type { Row } from './read-rows.js';

/** The limits of a batch, which one statement inserts. */
const BATCH_ROWS = 250;
const BATCH_BYTES = 256 * 1024;

/**
 * Validates rows like the bodies of requests, and collects them in batches.
 *
 * @param dto the class of the bodies
 * @param refuse receives the line of each invalid row, and the reason
 */
export async function* readPets(
  rows: AsyncIterable<Row>,
  dto: Type<NewPet>,
  refuse: (line: number, reason: string) => void,
): AsyncGenerator<NewPet[]> {
  let batch: NewPet[] = [];
  let bytes = 0;
  for await (const { line, json } of rows) {
    try {
      batch.push(await toPet(json, dto));
      bytes += json?.length ?? 0;
    } catch (error) {
      if (!(error instanceof InvalidRequest)) throw error;
      refuse(line, error.message.replace('The body', 'The row'));
    }
    if (batch.length < BATCH_ROWS && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

const pipe = new RequestValidationPipe();

async function toPet(json: Buffer | undefined, metatype: Type<NewPet>): Promise<NewPet> {
  if (!json) throw new InvalidRequest('The row does not have one field for each column of the header.');
  if (!isUtf8(json)) throw new InvalidRequest('The row is not in UTF-8.');
  return (await pipe.transform(parseJsonBody(json), { type: 'body', metatype })) as NewPet;
}
