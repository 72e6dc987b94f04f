import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';

import { ClinicClosed } from './clinic.errors.js';

@Catch(ClinicClosed)
export class ClinicClosedFilter implements ExceptionFilter {
  catch(_closed: ClinicClosed, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const body = { code: 'clinic_closed', message: 'The clinic opens at nine.', status: 503 };
    response.status(503).set('Retry-After', '3600').json(body);
  }
}
