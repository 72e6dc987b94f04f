import {
  BadRequestException,
  type CanActivate,
  ConflictException,
  Controller,
  Get,
  HttpException,
  ImATeapotException,
  Injectable,
  UnprocessableEntityException,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import { PetNotFound } from 'petstore';
import { type Observable, throwError } from 'rxjs';

import { ClinicClosed, UnknownVet } from './clinic.errors.js';
import { UnknownVetFilter } from './unknown-vet.filter.js';

@Injectable()
class NobodyGuard implements CanActivate {
  canActivate(): boolean {
    return false;
  }
}

/** Errors from Nest's chapters on exception filters and guards. */
@Controller('clinic/vets')
export class VetsController {
  @Get('busy')
  busy(): never {
    throw new ConflictException('The vet is in surgery.');
  }

  @Get('teapot')
  teapot(): never {
    throw new ImATeapotException('The vet has tea.');
  }

  @Get('unlicensed')
  unlicensed(): never {
    throw new UnprocessableEntityException('The vet has no licence.');
  }

  @Get('wrong')
  wrong(): never {
    throw new BadRequestException(['The name is too short.', 'The day is missing.']);
  }

  @Get('details')
  details(): never {
    throw new HttpException({ message: 'The vet works elsewhere.', extra: { city: 'Ulm' } }, 424);
  }

  /** An error of the library `http-errors`. */
  @Get('payment')
  payment(): never {
    throw Object.assign(new Error('Pay the last bill.'), { status: 402, statusCode: 402, expose: true });
  }

  @Get('broken')
  broken(): never {
    throw new Error('The password of the calendar is wrong.');
  }

  /** Some libraries throw values that are not errors. */
  @Get('hung-up')
  hungUp(): Observable<never> {
    return throwError(() => 'The calendar hung up.');
  }

  @Get('lost-pet')
  lostPet(): Promise<never> {
    return Promise.reject(new PetNotFound(5n));
  }

  @Get('private')
  @UseGuards(NobodyGuard)
  nobody(): void {
    // The guard rejects all requests.
  }

  @Get('unknown')
  @UseFilters(UnknownVetFilter)
  unknown(): never {
    throw new UnknownVet('Dr. No');
  }

  @Get('closed')
  closed(): never {
    throw new ClinicClosed();
  }
}
