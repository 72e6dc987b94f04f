import {
  All,
  Controller,
  Get,
  Header,
  HttpCode,
  type MessageEvent,
  Post,
  Redirect,
  Req,
  Res,
  Sse,
  StreamableFile,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable, of, take, timer } from 'rxjs';

/** Responses from Nest's chapters on controllers, streaming files and server-sent events. */
@Controller('clinic/reports')
export class ReportsController {
  @Get('express')
  answerItself(@Res() response: Response): void {
    response.status(203).json({ id: 9223372036854775807n });
  }

  @Get('passthrough')
  setHeaders(@Res({ passthrough: true }) response: Response) {
    response.status(202).set('X-Report', 'yes').cookie('seen', 'yes');
    return { text: 'Some' };
  }

  @Get('csv')
  @Header('Content-Type', 'text/csv')
  csv(): string {
    return 'name,weight\nTom,4\n';
  }

  @Post('empty')
  @HttpCode(204)
  empty(): void {
    // Sends a response without a body.
  }

  @Get('latest')
  @Redirect('/clinic/reports/csv', 301)
  latest(@Req() { query }: Request) {
    return query['year'] === '2025' ? { url: '/clinic/reports/file', statusCode: 302 } : undefined;
  }

  @Get('file')
  file(): StreamableFile {
    return new StreamableFile(Buffer.from('%PDF'), {
      type: 'application/pdf',
      disposition: 'attachment; filename="report.pdf"',
    });
  }

  @Sse('events')
  events(): Observable<MessageEvent> {
    return timer(0, 5).pipe(
      take(3),
      map((count) => ({ type: 'visit', data: { count } })),
    );
  }

  @All('any')
  any(@Req() { method }: Request) {
    return { method };
  }

  @Get('observable')
  observable(): Observable<object> {
    return of({ count: 3 });
  }

  @Get('undefined')
  nothing(): undefined {
    return undefined;
  }

  @Get('values')
  values() {
    return { id: 9223372036854775807n, at: new Date(0), ids: [1n, -1n], total: 0.5 };
  }
}
