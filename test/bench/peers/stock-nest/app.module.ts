import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';

import { ApiKey, ApiKeyGuard } from './api-key.guard.ts';
import { MessagesModule } from './messages.ts';
import { PetsModule } from './pets.ts';

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: process.env['DATABASE_URL'] ?? '',
      poolSize: 10,
      parseInt8: true,
      installExtensions: false,
      autoLoadEntities: true,
    }),
    TypeOrmModule.forFeature([ApiKey]),
    PetsModule,
    MessagesModule,
  ],
  providers: [{ provide: APP_GUARD, useClass: ApiKeyGuard }],
})
export class AppModule {}
