import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';

import { UnknownVet } from './clinic.errors.js';

@Catch(UnknownVet)
export class UnknownVetFilter implements ExceptionFilter {
  catch({ vet }: UnknownVet, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    response
      .status(404)
      .json({ code: 'unknown_vet', message: `Ask for a vet other than ${vet}.`, status: 404 });
  }
}
