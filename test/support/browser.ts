import { existsSync } from 'node:fs';

import { type Browser, chromium } from 'playwright-core';

const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

/** Whether there is a browser to test in, and what to say when there is none. */
export const hasChromium = existsSync(CHROMIUM);
export const NO_CHROMIUM = `there is no Chromium at ${CHROMIUM}; CHROMIUM_PATH can name it`;

/** Starts a browser without a window, which asks nobody but whom the test names. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
