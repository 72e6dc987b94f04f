import { Inject, Injectable, type NestMiddleware } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import type { NextFunction, Request, Response } from 'express';

import { clinicConfig } from './clinic.config.js';

@Injectable()
export class OpeningHoursMiddleware implements NestMiddleware {
  constructor(@Inject(clinicConfig.KEY) private readonly config: ConfigType<typeof clinicConfig>) {}

  use(_request: Request, response: Response, next: NextFunction): void {
    response.setHeader('X-Opening-Hours', `${this.config.opensAt.toString()}-17`);
    next();
  }
}
