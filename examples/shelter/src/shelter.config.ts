import { type ConfigType, registerAs } from '@nestjs/config';
import { num, str, url } from 'envalid';
import { readEnvironment } from 'petstore';

/** The variables of the shelter, in addition to those of the package. */
export const shelterConfig = registerAs('shelter', () =>
  readEnvironment(process.env, {
    JWKS_URL: url(),
    TOKEN_ISSUER: str(),
    TOKEN_AUDIENCE: str(),
    WEBHOOK_URL: url(),
    WEBHOOK_SECRET: str(),
    BLOCKED_SUBJECTS: str({ default: '' }),
    CALENDAR_URL: url({ default: undefined }),
    SLOW_REQUEST_MS: num({ default: 500 }),
  }),
);

export type ShelterConfig = ConfigType<typeof shelterConfig>;
