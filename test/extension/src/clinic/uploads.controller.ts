/// <reference types="multer" />
import { text } from 'node:stream/consumers';

import {
  Body,
  Controller,
  MaxFileSizeValidator,
  ParseFilePipe,
  Post,
  Req,
  UploadedFile,
  UploadedFiles,
  UseInterceptors,
} from '@nestjs/common';
import { FileFieldsInterceptor, FileInterceptor } from '@nestjs/platform-express';
import { Type } from 'class-transformer';
import { IsInt, IsString } from 'class-validator';
import type { Request } from 'express';

class NewImage {
  @IsString()
  readonly title!: string;

  @Type(() => Number)
  @IsInt()
  readonly visit!: number;
}

class NewAppointment {
  @IsString()
  readonly owner!: string;
}

/** Accepts files, and bodies other than JSON. */
@Controller('clinic/uploads')
export class UploadsController {
  @Post('image')
  @UseInterceptors(FileInterceptor('image', { limits: { fileSize: 100_000 } }))
  upload(
    @UploadedFile(new ParseFilePipe({ validators: [new MaxFileSizeValidator({ maxSize: 50_000 })] }))
    image: Express.Multer.File,
    @Body() newImage: NewImage,
  ) {
    return { newImage, file: image.originalname, type: image.mimetype, size: image.size };
  }

  @Post('images')
  @UseInterceptors(FileFieldsInterceptor([{ name: 'before' }, { name: 'after' }]))
  uploadFields(
    @UploadedFiles() files: Record<string, Express.Multer.File[]>,
    @Body() fields: Record<string, string>,
  ) {
    const names = Object.values(files).map(([file]) => file?.originalname);
    return { names, fields };
  }

  /** Reads the stream of the request. */
  @Post('stream')
  async stream(@Req() request: Request) {
    return { length: (await text(request)).length };
  }

  /** The module parses the body with `express.urlencoded()`. */
  @Post('form')
  form(@Body() newAppointment: NewAppointment) {
    return newAppointment;
  }

  /** The module parses the body with `express.raw()`. */
  @Post('signed')
  signed(@Body() body: Buffer) {
    return { isBuffer: Buffer.isBuffer(body), text: body.toString() };
  }
}
