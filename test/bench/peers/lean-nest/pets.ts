import {
  Body,
  Controller,
  Get,
  Injectable,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Query,
  Res,
} from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import type { Response } from 'express';

import { createPet, findPet, listPets } from '../database.ts';

const STATUSES = ['available', 'pending', 'sold'];

class NewPet {
  @IsString()
  @MaxLength(20_000)
  name!: string;

  @IsInt()
  categoryId!: number;

  @IsOptional()
  @IsIn(STATUSES)
  status?: string;
}

class ListQuery {
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  limit = 20;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  after = 0;

  @IsOptional()
  @IsIn(STATUSES)
  status?: string;
}

@Injectable()
export class PetsService {
  async list({ limit, after, status }: ListQuery) {
    const pets = await listPets({ limit: limit + 1, after: String(after), status });
    return { pets: pets.slice(0, limit), hasMore: pets.length > limit };
  }

  create(pet: NewPet) {
    return createPet(pet);
  }

  async get(id: number) {
    const pet = await findPet(id);
    if (!pet) throw new NotFoundException(`There is no animal with the id ${id}.`);
    return pet;
  }
}

@Controller('v1/pets')
export class PetsController {
  constructor(private readonly pets: PetsService) {}

  @Get()
  async listPets(@Query() query: ListQuery, @Res({ passthrough: true }) response: Response) {
    const { pets, hasMore } = await this.pets.list(query);
    if (hasMore) {
      const after = pets.at(-1)?.id;
      response.setHeader('Link', `</v1/pets?limit=${query.limit}&after=${after}>; rel="next"`);
    }
    return pets;
  }

  @Get(':petId')
  getPet(@Param('petId', ParseIntPipe) petId: number) {
    return this.pets.get(petId);
  }

  @Post()
  createPet(@Body() pet: NewPet) {
    return this.pets.create(pet);
  }
}
