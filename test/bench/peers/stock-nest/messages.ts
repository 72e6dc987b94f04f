import { Body, Controller, HttpCode, Injectable, Module, Post, Req } from '@nestjs/common';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { IsString } from 'class-validator';
import { Column, Entity, PrimaryGeneratedColumn, Repository } from 'typeorm';

import type { AuthenticatedRequest } from './api-key.guard.ts';

@Entity('message')
class MessageEntity {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('bigint', { name: 'account_id' })
  accountId!: number;

  @Column('text')
  message!: string;

  @Column('text')
  status!: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;
}

class CreateMessageDto {
  @IsString()
  message!: string;
}

type Message = Omit<MessageEntity, 'accountId'>;

@Injectable()
class MessagesService {
  constructor(@InjectRepository(MessageEntity) private readonly messages: Repository<MessageEntity>) {}

  async queue(accountId: number, { message }: CreateMessageDto): Promise<Message> {
    const queued = this.messages.create({ accountId, message, status: 'queued', createdAt: new Date() });
    const { id, status, createdAt } = await this.messages.save(queued);
    return { id, message, status, createdAt };
  }
}

@Controller('messages')
class MessagesController {
  constructor(private readonly messages: MessagesService) {}

  @Post()
  @HttpCode(202)
  create(@Body() dto: CreateMessageDto, @Req() request: AuthenticatedRequest): Promise<Message> {
    return this.messages.queue(request.accountId, dto);
  }
}

@Module({
  imports: [TypeOrmModule.forFeature([MessageEntity])],
  controllers: [MessagesController],
  providers: [MessagesService],
})
export class MessagesModule {}
