import { createHash } from 'node:crypto';

import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  type OnModuleInit,
  UnauthorizedException,
} from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Request } from 'express';
import { Column, Entity, IsNull, PrimaryGeneratedColumn, Repository } from 'typeorm';

@Entity('api_key')
export class ApiKey {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: number;

  @Column('bigint', { name: 'account_id' })
  accountId!: number;

  @Column('bytea')
  hash!: Buffer;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;
}

export type AuthenticatedRequest = Request & { accountId: number };

@Injectable()
export class ApiKeyGuard implements CanActivate, OnModuleInit {
  private accounts = new Map<string, number>();

  constructor(@InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>) {}

  async onModuleInit(): Promise<void> {
    const keys = await this.keys.findBy({ revokedAt: IsNull() });
    this.accounts = new Map(keys.map(({ hash, accountId }) => [hash.toString('hex'), accountId]));
  }

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const [scheme, key] = request.headers.authorization?.split(' ') ?? [];
    const hash = createHash('sha256')
      .update(key ?? '')
      .digest('hex');
    const accountId = this.accounts.get(hash);
    if (scheme !== 'Bearer' || accountId === undefined) throw new UnauthorizedException();
    request.accountId = accountId;
    return true;
  }
}
