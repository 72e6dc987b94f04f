import { registerAs } from '@nestjs/config';
import { num, url } from 'envalid';
import { readEnvironment } from 'petstore';

/** When the clinic opens, and the address of its calendar, if it has one. */
export const clinicConfig = registerAs('clinic', () => {
  const env = readEnvironment(process.env, {
    CLINIC_OPENS_AT: num({ choices: [7, 8, 9, 10], default: 9 }),
    CLINIC_CALENDAR_URL: url({ default: undefined }),
  });
  return { opensAt: env.CLINIC_OPENS_AT, calendarUrl: env.CLINIC_CALENDAR_URL };
});
