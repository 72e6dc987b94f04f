import { ApiProperty, ApiSchema } from '@nestjs/swagger';

/** The body of every error. */
@ApiSchema({ name: 'Error' })
export class ErrorBody {
  /**
   * Machine-readable code. Programs should check it. [Errors]({root}/docs/errors) describes the codes. New ones may be
   * added, so treat a code that you do not know like its HTTP status.
   */
  @ApiProperty({ example: 'unauthorized' })
  readonly code!: string;

  /** A description of the error for people. The wording may change; do not parse it. */
  @ApiProperty({ example: 'The {credential} is not valid.' })
  readonly message!: string;

  /** The HTTP status code of the response. */
  @ApiProperty({ type: 'integer', minimum: 400, maximum: 599, example: 401 })
  readonly status!: number;
}
