import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Chromium } from '../../scripts/run/chromium.ts';
import { type ServiceProcess, Workplace } from '../e2e/service-process.ts';
import { START_OPTIONS, withNodeOptions } from '../e2e/start-options.ts';
import { describeWithChromium } from './describe-with-chromium.ts';
import { PageWatch } from './page-watch.ts';
import { pngColours } from './png-colours.ts';

/** The specification's six, as on the page. */
const ENDPOINTS = [
  'POST /api/v1/sign',
  'POST /api/v1/sign/batch',
  'GET /api/v1/accounts',
  'GET /api/v1/accounts/{platformId}/{accountId}',
  'POST /api/v1/config/reload',
  'GET /api/v1/status',
];

const LISTED = `[...document.querySelectorAll('.endpoint .call')].map((call) => call.innerText.replace(/\\s+/g, ' ').trim())`;
const PAPER = 'getComputedStyle(document.body).backgroundColor';

/** Whether the page scrolls horizontally. */
const IS_WIDER = 'document.documentElement.scrollWidth > window.innerWidth';

describeWithChromium('The documentation page in a browser', (program) => {
  const place = new Workplace();
  place.launcher = withNodeOptions(...START_OPTIONS);
  let service: ServiceProcess;
  let browser: Chromium;

  before(async function () {
    this.timeout(60_000);
    await place.prepare('init');
    service = await place.start();
    browser = await Chromium.start(program);
  });
  after(async () => {
    await browser?.close();
    await place.remove();
  });

  const looks = [
    ['on a desk, in light colours', 1440, 900, 'light', 'rgb(255, 255, 255)'],
    ['on a desk, in dark colours', 1440, 900, 'dark', 'rgb(18, 21, 28)'],
    ['on a phone, in light colours', 390, 844, 'light', 'rgb(255, 255, 255)'],
    ['on a phone, in dark colours', 390, 844, 'dark', 'rgb(18, 21, 28)'],
  ] as const;
  for (const [name, width, height, colours, paper] of looks) {
    it(`lists the six endpoints, requests nothing else and violates no policy: ${name}`, async () => {
      const watch = new PageWatch(browser);
      await browser.emulate(width, height, colours);
      await browser.open(`${service.url}/docs`);

      expect(await browser.evaluate(LISTED)).to.include.members(ENDPOINTS);
      expect(await browser.evaluate(PAPER)).to.equal(paper);
      expect(await browser.evaluate(IS_WIDER)).to.equal(false);
      const pixels = pngColours(await browser.screenshot());
      expect(pixels.size).to.be.greaterThan(100);
      expect(Math.max(...pixels.values())).to.be.lessThan(width * height * 0.95);
      expect(watch.requests).to.deep.equal([`${service.url}/docs`]);
      expect(watch.complaints).to.deep.equal([]);
    });
  }

  it('links to the OpenAPI document', async () => {
    await browser.open(`${service.url}/docs`);
    const href = await browser.evaluate(`document.querySelector('a[href$="openapi.json"]').href`);
    expect(href).to.equal(`${service.url}/openapi.json`);
    await browser.open(href);
    expect(await browser.evaluate('JSON.parse(document.body.innerText).openapi')).to.equal('3.1.1');
  });

  describe('detects', () => {
    let other: Server;

    before(async () => {
      const { headers } = await fetch(`${service.url}/docs`);
      const policy = headers.get('content-security-policy') ?? '';
      other = createServer((request, response) => {
        response.setHeader('Content-Type', 'text/html');
        response.setHeader('Content-Security-Policy', request.url === '/strict' ? policy : '');
        response.end(
          '<!doctype html><title>x</title><link rel="icon" href="data:,"><script>document.title = "ran"</script><img src="/dot">',
        );
      }).listen(0, '127.0.0.1');
      await new Promise((resolve) => other.once('listening', resolve));
    });
    after(() => other.close());

    it('a script blocked by the content security policy', async () => {
      const { port } = other.address() as AddressInfo;
      const watch = new PageWatch(browser);
      await browser.open(`http://127.0.0.1:${port}/strict`);
      expect(await browser.evaluate('document.title')).to.equal('x');
      expect(watch.complaints.join('\n')).to.match(/Content Security Policy/);
    });

    it('an additional request, or a blank page', async () => {
      const { port } = other.address() as AddressInfo;
      const watch = new PageWatch(browser);
      await browser.emulate(400, 300, 'light');
      await browser.open(`http://127.0.0.1:${port}/lax`);
      expect(await browser.evaluate('document.title')).to.equal('ran');
      expect(watch.requests).to.deep.equal([`http://127.0.0.1:${port}/lax`, `http://127.0.0.1:${port}/dot`]);
      expect(pngColours(await browser.screenshot()).size).to.be.lessThan(100);
    });
  });
});
