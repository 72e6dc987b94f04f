import { DomainError } from '../domain/domain-error.js';

/** The client has exhausted its quota (RFC 6585, section 4). */
export class RateLimited extends DomainError {
  override readonly headers;

  constructor(secondsToWait: number, quotaHeaders: Readonly<Record<string, string>>) {
    super('rate_limited', `Too many requests. Try again in ${secondsToWait} seconds.`);
    this.headers = { 'Retry-After': secondsToWait.toString(), ...quotaHeaders };
  }
}
