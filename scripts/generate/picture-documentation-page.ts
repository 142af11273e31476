/** Makes docs/images/docs-page.png: /docs in Chromium. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { documentationPage } from '../../src/adapters/http/documentation/documentation-page.ts';
import { apiDocument } from '../../src/adapters/http/openapi/api-document.ts';
import { readSettings } from '../../src/app/settings/settings.ts';
import { Chromium, findChromium } from '../run/chromium.ts';

const IMAGE = new URL('../../docs/images/docs-page.png', import.meta.url);

/** Scrolls to the first group of endpoints. */
const SCROLL = `document.documentElement.style.scrollBehavior = 'auto'; document.querySelector('.group').scrollIntoView()`;

const program = findChromium();
if (program === null) throw new Error('chromium is not on PATH: apt-get install chromium');

const { html } = documentationPage(apiDocument(readSettings({})));
const server = createServer((_request, response) => {
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.end(html);
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));

const browser = await Chromium.start(program);
try {
  await browser.emulate(1440, 1000, 'light');
  await browser.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}/docs`);
  await browser.evaluate(SCROLL);
  mkdirSync(new URL('.', IMAGE), { recursive: true });
  writeFileSync(IMAGE, await browser.screenshot());
} finally {
  await browser.close();
  server.close();
}
