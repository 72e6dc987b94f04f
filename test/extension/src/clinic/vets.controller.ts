import {
  type ArgumentMetadata,
  BadRequestException,
  type CanActivate,
  ConflictException,
  Controller,
  Get,
  HttpException,
  HttpStatus,
  ImATeapotException,
  Injectable,
  UnprocessableEntityException,
  UseFilters,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common';
import { IsString, type ValidationError } from 'class-validator';
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

class Day {
  @IsString()
  readonly day!: string;
}

const DAY: ArgumentMetadata = { type: 'body', metatype: Day };

/** Errors from Nest's chapters on exception filters and guards. */
@Controller('clinic/vets')
export class VetsController {
  @Get('busy')
  busy(): never {
    throw new ConflictException('The vet is in surgery.');
  }

  @Get('on-holiday')
  onHoliday(): never {
    throw new ConflictException('The vet is on holiday.', { errorCode: 'vet_on_holiday' });
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

  /** An error of the library `http-errors` with a private message. */
  @Get('calendar')
  calendar(): never {
    throw Object.assign(new Error('calendar.local'), { status: 502, statusCode: 502, expose: false });
  }

  /** Some libraries throw plain objects. */
  @Get('rejected')
  rejected(): Observable<never> {
    return throwError(() => ({ statusCode: 409, message: 'The day is taken.' }));
  }

  @Get('locked')
  locked(): never {
    throw new HttpException(new Error('The password of the calendar is wrong.'), HttpStatus.BAD_GATEWAY);
  }

  @Get('custom')
  custom(): never {
    throw new HttpException({ status: HttpStatus.FORBIDDEN, error: 'This is a custom message' }, 403);
  }

  @Get('nested')
  nested(): never {
    throw new HttpException({ message: { city: 'Ulm' } }, 424);
  }

  @Get('number')
  number(): never {
    throw new BadRequestException(5);
  }

  @Get('grouped')
  grouped(): Promise<unknown> {
    return new ValidationPipe({ errorFormat: 'grouped' }).transform({}, DAY);
  }

  @Get('list')
  list(): Promise<unknown> {
    const exceptionFactory = (errors: ValidationError[]) => new BadRequestException(errors);
    return new ValidationPipe({ exceptionFactory }).transform({}, DAY);
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

  @Get('double-booked')
  doubleBooked(): Observable<never> {
    return throwError(() => ({ patient: 'Secret Agent' }));
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
