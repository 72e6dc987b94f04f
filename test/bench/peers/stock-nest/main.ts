// Nest and TypeORM, as in their documentation.
import 'reflect-metadata';

import { ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

import { AppModule } from './app.module.ts';

const app = await NestFactory.create(AppModule, { logger: false });
app.setGlobalPrefix('v1');
app.useGlobalPipes(new ValidationPipe({ transform: true }));
await app.listen(Number(process.env['PORT']), '127.0.0.1');
