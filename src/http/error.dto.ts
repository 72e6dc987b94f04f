import { ApiProperty, ApiSchema } from '@nestjs/swagger';

import { type ErrorCode, STATUS_OF_CODE } from '../domain/error-codes.js';

/** What every answer that reports a failure carries. */
@ApiSchema({ name: 'Error' })
export class ErrorBody {
  /** Machine-readable code. Decide by this, and treat a code you do not know like its HTTP status. */
  @ApiProperty({ example: 'not_found' })
  readonly code: string;

  /** What went wrong, for a person to read. The wording may change; do not parse it. */
  @ApiProperty({ example: 'There is no animal with the id 42.' })
  readonly message: string;

  /** The HTTP status code of this answer. */
  @ApiProperty({ type: 'integer', minimum: 400, maximum: 599, example: 404 })
  readonly status: number;

  constructor(code: ErrorCode, message: string) {
    this.code = code;
    this.message = message;
    this.status = STATUS_OF_CODE[code];
  }
}
