import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Stability } from 'petstore';

class Price {
  @ApiProperty({ example: 'vaccine' })
  readonly treatment!: string;

  @ApiProperty({ type: 'integer', example: 30 })
  readonly euros!: number;
}

/** Lies outside of `v1/`. The composition describes its tag, so that the published document contains it. */
@ApiTags('Clinic')
@Controller('clinic/prices')
export class PricesController {
  @Get()
  @ApiOperation({ summary: 'List the prices of treatments' })
  @Stability('beta')
  @ApiOkResponse({ type: [Price], description: 'The prices.' })
  @ApiErrors()
  listPrices(): Price[] {
    return [{ treatment: 'vaccine', euros: 30 }];
  }
}
