import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import axe from 'axe-core';
import { expect } from 'chai';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { ConsoleService, ODD_ALIAS } from './console-service.ts';
import { describeWithChromium } from './describe-with-chromium.ts';
import { PageWatch } from './page-watch.ts';

const ACCOUNTS = 120;

const PAPER = 'getComputedStyle(document.body).backgroundColor';
const IS_WIDER = 'document.documentElement.scrollWidth > window.innerWidth';
const LISTED = `[...document.querySelectorAll('.accounts tbody th small')].map((name) => name.textContent)`;
const UPDATED = `document.querySelector('#updated time').dateTime`;
const HEAD = `document.querySelector('.figures dd').textContent`;
const NEWS = `document.getElementById('news').textContent`;
const VIOLATIONS = `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`;

describeWithChromium('The console in a browser', (browser) => {
  let running: ConsoleService;

  before(async function () {
    this.timeout(60_000);
    running = await ConsoleService.start(ACCOUNTS);
    await running.traffic(6);
  });
  after(() => running?.close());

  async function open(options: BrowserContextOptions = {}, query = ''): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
    await page.goto(`${running.url}${query}`);
    return page;
  }

  /** Polls: the content security policy permits no `eval` in the page. */
  async function until(page: Page, expression: string): Promise<void> {
    while (!(await page.evaluate(expression))) await sleep(100);
  }

  /** Rules that the page violates, with the elements. */
  async function violations(page: Page): Promise<readonly string[]> {
    await page.evaluate(`${axe.source}; 0`);
    return page.evaluate(VIOLATIONS);
  }

  const looks = [
    ['on a desk, in light colors', 1280, 900, 'light', 'rgb(255, 255, 255)'],
    ['on a phone, in dark colors', 360, 780, 'dark', 'rgb(18, 21, 28)'],
  ] as const;
  for (const [name, width, height, colorScheme, paper] of looks) {
    it(`is accessible, fits and requests only itself: ${name}`, async function () {
      this.timeout(30_000);
      const page = await browser.newPage({ viewport: { width, height }, colorScheme });
      const watch = await PageWatch.start(page);
      await page.goto(running.url);
      // On a busy machine the page refreshes meanwhile.
      expect([...new Set(watch.requests)]).to.deep.equal([running.url, `${running.url}console.js`]);
      expect(await page.evaluate(PAPER)).to.equal(paper);
      expect(await page.evaluate(IS_WIDER)).to.equal(false);
      expect(await violations(page)).to.deep.equal([]);
      expect(watch.complaints).to.deep.equal([]);
    });
  }

  it('is watched for scripts that a policy blocks, and for further requests (control)', async () => {
    const other = createServer((request, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.setHeader('Content-Security-Policy', request.url === '/strict' ? "default-src 'none'" : '');
      response.end(
        '<!doctype html><title>x</title><link rel="icon" href="data:,"><script>document.title = "ran"</script><img src="/dot">',
      );
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    for (const [path, title] of [
      ['/strict', 'x'],
      ['/lax', 'ran'],
    ] as const) {
      const page = await browser.newPage();
      const watch = await PageWatch.start(page);
      await page.goto(`${url}${path}`);
      expect(await page.title()).to.equal(title);
      if (path === '/strict') expect(watch.complaints.join('\n')).to.match(/Content Security Policy/);
      else expect(watch.requests).to.deep.equal([`${url}/lax`, `${url}/dot`]);
    }
    other.close();
  });

  it('is reported by axe if an element has no name (control)', async function () {
    this.timeout(30_000);
    const page = await open();
    await page.evaluate(`document.querySelector('h1 img').removeAttribute('alt')`);
    expect((await violations(page)).join()).to.match(/^image-alt: /);
  });

  it('shows texts of users as text', async () => {
    const page = await open({}, '?q=script');
    expect(await page.title()).to.equal('Ready: signer-1');
    const aliases = `[...document.querySelectorAll('.accounts tbody th')].map((name) => name.firstChild.textContent)`;
    expect(await page.evaluate(aliases)).to.deep.equal([ODD_ALIAS]);
  });

  describe('while it refreshes', () => {
    it('keeps typed text, focus, cursor and scroll position', async function () {
      this.timeout(60_000);
      const page = await open({ viewport: { width: 1280, height: 700 } });
      const watch = await PageWatch.start(page);
      const [updated, head] = [await page.evaluate(UPDATED), await page.evaluate(HEAD)];
      await page.evaluate(`document.getElementById('q').focus({ preventScroll: true })`);
      await page.keyboard.insertText('half a wor');
      await page.evaluate(
        `document.getElementById('q').setSelectionRange(4, 6); window.scrollTo({ top: 240, behavior: 'instant' })`,
      );
      await running.traffic(1);
      await until(page, `${UPDATED} !== '${updated}' && ${HEAD} !== '${head}'`);

      const kept = `(() => { const q = document.getElementById('q'); return [document.activeElement.id, q.value, q.selectionStart, q.selectionEnd]; })()`;
      expect(await page.evaluate(kept)).to.deep.equal(['q', 'half a wor', 4, 6]);
      // The browser may follow content that grew above.
      expect(await page.evaluate('window.scrollY')).to.be.closeTo(240, 60);
      expect(watch.complaints).to.deep.equal([]);
    });

    it('keeps the focus on a link of the table', async function () {
      this.timeout(60_000);
      const page = await open();
      const updated = await page.evaluate(UPDATED);
      await page.focus('#by-errors');
      await until(page, `${UPDATED} !== '${updated}'`);
      expect(await page.evaluate('document.activeElement.id')).to.equal('by-errors');
    });

    it('can be paused and resumed', async function () {
      this.timeout(60_000);
      const page = await open();
      await page.click('#pause');
      expect(await page.evaluate(NEWS)).to.equal('Updates paused');
      const updated = await page.evaluate(UPDATED);
      await sleep(7000);
      expect(await page.evaluate(UPDATED)).to.equal(updated);
      await page.click('#pause');
      await until(page, `${UPDATED} !== '${updated}'`);
    });
  });

  it('searches by the keyboard, sorts by a click and turns pages', async function () {
    this.timeout(60_000);
    const page = await open();
    await page.focus('#q');
    await page.keyboard.insertText('backpack/');
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
    const found = running.rows.filter(({ platformId }) => platformId === 'backpack').map(({ accountId }) => accountId);
    expect(await page.evaluate(LISTED)).to.deep.equal(found.map((id) => `backpack/${id}`));
    expect(await page.inputValue('#q')).to.equal('backpack/');

    await Promise.all([page.waitForEvent('load'), page.click('#by-signatures')]);
    const counts = `[...document.querySelectorAll('.accounts tbody td:nth-child(5)')].map((count) => Number(count.textContent))`;
    const shown: readonly number[] = await page.evaluate(counts);
    expect(shown).to.deep.equal(shown.toSorted((left, right) => right - left));
    expect(shown[0]).to.be.greaterThan(0);

    await page.goto(running.url);
    for (let turn = 0; turn < 2; turn += 1) await Promise.all([page.waitForEvent('load'), page.click('#next')]);
    expect(await page.evaluate(`${LISTED}.length`)).to.equal(ACCOUNTS - 100);
  });

  it('shows the focus at every stop of the keyboard, first a link to the content', async () => {
    const page = await open();
    const stops: string[] = [];
    for (let stop = 0; stop < 13; stop += 1) {
      await page.keyboard.press('Tab');
      const outline = `getComputedStyle(document.activeElement).outlineStyle`;
      expect(await page.evaluate(outline), String(stop)).not.to.equal('none');
      stops.push(await page.evaluate(`document.activeElement.id || document.activeElement.getAttribute('href')`));
    }
    expect(stops.slice(0, 5)).to.deep.equal(['#main', '#refusals', '#records', '#accounts', 'pause']);
    expect(stops).to.include.members(['q', 'sort', 'find', 'by-name']);
  });

  it('works without scripts', async function () {
    this.timeout(30_000);
    const page = await browser.newPage({ javaScriptEnabled: false });
    const watch = await PageWatch.start(page);
    const url = `${running.url}?q=treasury/&sort=errors`;
    await page.goto(url);
    expect(watch.requests).to.deep.equal([url]);
    const { length } = running.rows.filter(({ platformId }) => platformId === 'treasury');
    expect(await page.locator('.accounts tr').count()).to.equal(length + 1);
    expect(await page.locator('#pause').isVisible()).to.equal(false);
  });

  // Suites run after the tests beside them, in order.
  describe('of a service that stops', () => {
    it('announces a change of readiness, and that it is out of date', async function () {
      this.timeout(120_000);
      const page = await open();
      const file = running.place.path('credentials.json');
      writeFileSync(file, JSON.stringify({ version: 1, platforms: [], accounts: [] }), { mode: 0o600 });
      await running.service.reload();
      await until(page, `${NEWS} === 'Not ready: Accounts'`);
      expect(await violations(page)).to.deep.equal([]);
      expect(await page.title()).to.equal('Not ready: signer-1');
      await running.service.stop();
      await until(page, `${NEWS}.startsWith('Not updated: ')`);
      expect(await page.evaluate(`document.body.className`)).to.equal('stale');
    });
  });
});
