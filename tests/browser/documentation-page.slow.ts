import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { ServiceProcess } from '../harness/service-process.ts';
import { START_OPTIONS, withNodeOptions } from '../harness/start-options.ts';
import { useWorkplace } from '../harness/use-workplace.ts';
import { describeWithChromium } from './describe-with-chromium.ts';
import { PageWatch } from './page-watch.ts';

/** The specification's six, as on the page. */
const ENDPOINTS = [
  'POST /api/v1/sign',
  'POST /api/v1/sign/batch',
  'GET /api/v1/accounts',
  'GET /api/v1/accounts/{platformId}/{accountId}',
  'POST /api/v1/config/reload',
  'GET /api/v1/status',
];

const PAPER = 'getComputedStyle(document.body).backgroundColor';

/** Whether the page scrolls horizontally. */
const IS_WIDER = 'document.documentElement.scrollWidth > window.innerWidth';

describeWithChromium('The documentation page in a browser', (browser) => {
  const place = useWorkplace();
  place.launcher = withNodeOptions(...START_OPTIONS);
  let service: ServiceProcess;

  before(async function () {
    this.timeout(60_000);
    service = await place.start();
  });

  const looks = [
    ['on a desk, in light colours', 1440, 900, 'light', 'rgb(255, 255, 255)'],
    ['on a phone, in dark colours', 390, 844, 'dark', 'rgb(18, 21, 28)'],
  ] as const;
  for (const [name, width, height, colorScheme, paper] of looks) {
    it(`lists the six endpoints, requests nothing else and violates no policy: ${name}`, async () => {
      const page = await browser.newPage({ viewport: { width, height }, colorScheme });
      const watch = await PageWatch.start(page);
      await page.goto(`${service.url}/docs`);

      const calls = page.locator('.endpoint .call');
      const listed = (await calls.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
      expect(listed).to.include.members(ENDPOINTS);
      expect(await calls.first().isVisible()).to.equal(true);
      expect(await page.evaluate(PAPER)).to.equal(paper);
      expect(await page.evaluate(IS_WIDER)).to.equal(false);
      expect(watch.requests).to.deep.equal([`${service.url}/docs`]);
      expect(watch.complaints).to.deep.equal([]);
    });
  }

  it('links to the OpenAPI document', async () => {
    const page = await browser.newPage();
    await page.goto(`${service.url}/docs`);
    const href: string = await page.evaluate(`document.querySelector('a[href$="openapi.json"]').href`);
    expect(href).to.equal(`${service.url}/openapi.json`);
    await page.goto(href);
    expect(await page.evaluate('JSON.parse(document.body.innerText).openapi')).to.equal('3.1.1');
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

    async function open(path: string) {
      const page = await browser.newPage();
      const watch = await PageWatch.start(page);
      const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
      await page.goto(`${url}${path}`);
      return { url, watch, title: await page.title() };
    }

    it('a script blocked by the content security policy', async () => {
      const { watch, title } = await open('/strict');
      expect(title).to.equal('x');
      expect(watch.complaints.join('\n')).to.match(/Content Security Policy/);
    });

    it('an additional request', async () => {
      const { url, watch, title } = await open('/lax');
      expect(title).to.equal('ran');
      expect(watch.requests).to.deep.equal([`${url}/lax`, `${url}/dot`]);
    });
  });
});
