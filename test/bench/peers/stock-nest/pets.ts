import {
  Body,
  Controller,
  Get,
  Injectable,
  Module,
  NotFoundException,
  Param,
  Post,
  Query,
} from '@nestjs/common';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { Column, Entity, MoreThan, PrimaryGeneratedColumn, Repository } from 'typeorm';

const STATUSES = ['available', 'pending', 'sold'];

@Entity('pet')
class PetEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: number;

  @Column('text')
  name!: string;

  @Column('bigint', { name: 'category_id' })
  categoryId!: number;

  @Column('text', { nullable: true })
  status!: string | null;
}

class CreatePetDto {
  @IsString()
  name!: string;

  @IsInt()
  categoryId!: number;

  @IsOptional()
  @IsIn(STATUSES)
  status?: string;
}

class ListPetsDto {
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  limit = 20;

  @Type(() => Number)
  @IsInt()
  @Min(0)
  after = 0;

  @IsOptional()
  @IsIn(STATUSES)
  status?: string;
}

type Pet = Omit<PetEntity, 'status'> & { status?: string };

@Injectable()
class PetsService {
  constructor(@InjectRepository(PetEntity) private readonly pets: Repository<PetEntity>) {}

  async list({ limit, status, after }: ListPetsDto): Promise<Pet[]> {
    const where = { id: MoreThan(after), ...(status !== undefined && { status }) };
    return (await this.pets.find({ where, order: { id: 'ASC' }, take: limit })).map(toPet);
  }

  async get(id: number): Promise<Pet> {
    const pet = Number.isSafeInteger(id) ? await this.pets.findOneBy({ id }) : null;
    if (!pet) throw new NotFoundException();
    return toPet(pet);
  }

  async create(dto: CreatePetDto): Promise<Pet> {
    return toPet(await this.pets.save(this.pets.create(dto)));
  }
}

function toPet({ id, name, categoryId, status }: PetEntity): Pet {
  return { id, name, categoryId, ...(status !== null && { status }) };
}

@Controller('pets')
class PetsController {
  constructor(private readonly pets: PetsService) {}

  @Get()
  list(@Query() query: ListPetsDto): Promise<Pet[]> {
    return this.pets.list(query);
  }

  @Get(':petId')
  get(@Param('petId') petId: string): Promise<Pet> {
    return this.pets.get(Number(petId));
  }

  @Post()
  create(@Body() dto: CreatePetDto): Promise<Pet> {
    return this.pets.create(dto);
  }
}

@Module({
  imports: [TypeOrmModule.forFeature([PetEntity])],
  controllers: [PetsController],
  providers: [PetsService],
})
export class PetsModule {}
