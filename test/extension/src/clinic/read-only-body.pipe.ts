import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';

import { NewVisit } from './visit.dto.js';

/** Freezes visits, so that no code changes them by mistake. */
@Injectable()
export class ReadOnlyBodyPipe implements PipeTransform {
  transform(value: unknown, { type }: ArgumentMetadata): unknown {
    return type === 'body' && value instanceof NewVisit ? Object.freeze(value) : value;
  }
}
