/**
 * Makes docs/images/console.png and console-phone.png: the console in Chromium, of a service with
 * two hundred accounts after five minutes of traffic.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Chromium, findChromium } from '../run/chromium.ts';
import { startConsoleService } from '../service/console-service.ts';

const TRAFFIC_SECONDS = 290;

/** Access tokens are accepted 30 seconds after the start. */
const AUTHENTICATION_MS = 31_000;

const PICTURES = [
  ['console.png', 1280, 1240, 'light'],
  ['console-phone.png', 360, 780, 'dark'],
] as const;

const program = findChromium();
if (program === null) throw new Error('chromium is not on PATH: apt-get install chromium');

const callers = ['desk-london', 'desk-tokyo', 'backtest'];
const running = await startConsoleService({ accountCount: 205, days: 10, callers });
const browser = await Chromium.start(program);
try {
  await browser.send('Security.setIgnoreCertificateErrors', { ignore: true });
  await sleep(AUTHENTICATION_MS);
  await running.traffic(TRAFFIC_SECONDS, 30);
  for (const [name, width, height, colors] of PICTURES) {
    await browser.emulate(width, height, colors);
    await browser.open(running.url);
    const image = new URL(`../../docs/images/${name}`, import.meta.url);
    writeFileSync(image, await browser.screenshot());
  }
} finally {
  await browser.close();
  await running.close();
}
