import { registerAs } from '@nestjs/config';
import { str, url } from 'envalid';
import { readEnvironment } from 'petstore';

/** Where messages are delivered, and the secret that signs them. */
export const webhookConfig = registerAs('webhook', () => {
  const env = readEnvironment(process.env, { WEBHOOK_URL: url(), WEBHOOK_SECRET: str() });
  return { url: env.WEBHOOK_URL, secret: env.WEBHOOK_SECRET };
});
