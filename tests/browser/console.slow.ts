import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
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
const LISTED = `[...document.querySelectorAll('#account-rows th small')].map((name) => name.textContent)`;
const UPDATED = `document.getElementById('updated').textContent`;
const SIGNED = `document.querySelector('#figures dd').textContent`;
const NEWS = `document.getElementById('announcement').textContent`;
const IS_SHOWN = `${LISTED}.length > 0`;
const VIOLATIONS = `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`;

/** What the page requests after itself. */
const REQUESTED = [
  ...['console.css', 'console.js'],
  ...['api/v1/status?include=activity', 'readyz', 'api/v1/accounts?limit=1000'],
];

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
    await until(page, IS_SHOWN);
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
      await until(page, IS_SHOWN);
      // On a busy machine the page refreshes meanwhile.
      const requested = [running.url, ...REQUESTED.map((path) => `${running.url}${path}`)];
      expect([...new Set(watch.requests)]).to.have.members(requested);
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
    await page.evaluate(`document.getElementById('sort').parentElement.firstChild.remove()`);
    expect((await violations(page)).join()).to.match(/^select-name: /);
  });

  it('shows texts of users as text', async () => {
    const page = await open({}, '?q=script');
    expect(await page.title()).to.equal('Ready: signer-1');
    const aliases = `[...document.querySelectorAll('#account-rows strong')].map((alias) => alias.textContent)`;
    expect(await page.evaluate(aliases)).to.deep.equal([ODD_ALIAS]);
  });

  describe('while it refreshes', () => {
    it('keeps typed text, focus, cursor, scroll position and a selection', async function () {
      this.timeout(60_000);
      const page = await open({ viewport: { width: 1280, height: 700 } });
      const watch = await PageWatch.start(page);
      const signed = await page.evaluate(SIGNED);
      await page.evaluate(`document.getElementById('q').focus({ preventScroll: true })`);
      await page.keyboard.insertText('half a wor');
      await page.evaluate(
        `document.getElementById('q').setSelectionRange(4, 6); window.scrollTo({ top: 240, behavior: 'instant' })`,
      );
      const place = `document.getElementById('refusals').getBoundingClientRect().top`;
      const before: number = await page.evaluate(place);
      const other = await open();
      const selected = `getSelection().toString()`;
      await other.evaluate(`getSelection().selectAllChildren(document.querySelector('#record-rows td:last-child'))`);
      const requestId = await other.evaluate(selected);

      await running.traffic(1);
      for (const each of [page, other]) await until(each, `${SIGNED} !== '${signed}'`);
      const kept = `(() => { const q = document.getElementById('q'); return [document.activeElement.id, q.value, q.selectionStart, q.selectionEnd]; })()`;
      expect(await page.evaluate(kept)).to.deep.equal(['q', 'half a wor', 4, 6]);
      // The browser follows content that grows above.
      expect(await page.evaluate(place)).to.be.closeTo(before, 60);
      expect(await other.evaluate(selected))
        .to.equal(requestId)
        .and.match(/^[0-9a-f-]{36}$/);
      expect(watch.complaints).to.deep.equal([]);
    });

    it('can be paused and resumed, and pauses while it is not visible', async function () {
      this.timeout(60_000);
      const page = await open();
      await page.click('#pause');
      expect(await page.evaluate(NEWS)).to.equal('Updates paused');
      const paused = await page.evaluate(UPDATED);
      await sleep(7000);
      expect(await page.evaluate(UPDATED)).to.equal(paused);
      await page.click('#pause');
      await until(page, `${UPDATED} !== '${paused}'`);

      const setHidden = (isHidden: boolean) =>
        page.evaluate(
          `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
        );
      await setHidden(true);
      const hidden = await page.evaluate(UPDATED);
      await sleep(7000);
      expect(await page.evaluate(UPDATED)).to.equal(hidden);
      await setHidden(false);
      await until(page, `${UPDATED} !== '${hidden}'`);
    });
  });

  it('searches while typing, sorts and turns pages, and keeps search and order in its address', async function () {
    this.timeout(60_000);
    const page = await open();
    await page.focus('#q');
    await page.keyboard.insertText('backpack/ BOT');
    const found = running.rows.filter(({ platformId }) => platformId === 'backpack').map(({ accountId }) => accountId);
    expect(await page.evaluate(LISTED)).to.deep.equal(found.map((id) => `backpack/${id}`));
    await page.selectOption('#sort', 'signatures');
    await page.reload();
    await until(page, IS_SHOWN);
    expect([await page.inputValue('#q'), await page.inputValue('#sort')]).to.deep.equal([
      'backpack/ BOT',
      'signatures',
    ]);
    const counts = `[...document.querySelectorAll('#account-rows td:nth-child(5)')].map((count) => Number(count.textContent))`;
    const shown: readonly number[] = await page.evaluate(counts);
    expect(shown).to.deep.equal(shown.toSorted((left, right) => right - left));
    expect(shown[0]).to.be.greaterThan(0);

    await page.fill('#q', 'nothing-like-this');
    expect(await page.evaluate(`document.getElementById('account-rows').textContent`)).to.equal('None');
    await page.fill('#q', '');
    for (let turn = 0; turn < 2; turn += 1) await page.click('#next');
    expect(await page.evaluate(`${LISTED}.length`)).to.equal(ACCOUNTS - 100);
    expect(await page.evaluate(`document.getElementById('next').disabled`)).to.equal(true);
  });

  it('shows the focus at every stop of the keyboard, first a link to the content', async () => {
    const page = await open();
    const stops: string[] = [];
    for (let stop = 0; stop < 8; stop += 1) {
      await page.keyboard.press('Tab');
      const outline = `getComputedStyle(document.activeElement).outlineStyle`;
      expect(await page.evaluate(outline), String(stop)).not.to.equal('none');
      stops.push(await page.evaluate(`document.activeElement.id || document.activeElement.getAttribute('href')`));
    }
    expect(stops).to.deep.equal(['#main', '#refusals', '#records', '#accounts', 'pause', 'q', 'sort', 'next']);
  });

  it('shows no readiness that it cannot read', async () => {
    const page = await browser.newPage();
    const error = { code: 'FORBIDDEN', message: 'Not today.', details: {} };
    await page.route('**/readyz', (route) => route.fulfill({ status: 403, json: { success: false, error } }));
    await page.goto(running.url);
    await until(page, `${UPDATED} === 'Not loaded: Not today.'`);
    expect(await page.locator('#readiness').isVisible()).to.equal(false);
  });

  it('names the command that shows the same without scripts', async () => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(running.url);
    expect(await page.locator('noscript').textContent()).to.include('signing-service status --watch');
  });

  // Suites run after the tests beside them, in order.
  describe('of a service that changes and stops', () => {
    async function load(change: (credentials: object) => object): Promise<void> {
      const file = running.place.path('credentials.json');
      writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')))), { mode: 0o600 });
      await running.service.reload();
    }

    it('asks once for accounts that the caller may not read, and says so', async function () {
      this.timeout(60_000);
      const permissions = [{ principals: ['anonymous'], operations: ['status'] }];
      await load((credentials) => ({ ...credentials, permissions }));
      const page = await browser.newPage();
      const watch = await PageWatch.start(page);
      await page.goto(running.url);
      const isDenied = `document.getElementById('denied').checkVisibility() && !document.getElementById('readable').checkVisibility()`;
      await until(page, isDenied);
      const updated = await page.evaluate(UPDATED);
      await until(page, `${UPDATED} !== '${updated}'`);
      expect(watch.requests.filter((url) => url.includes('/accounts'))).to.have.lengthOf(1);
    });

    it('announces a change of readiness, and since when it is out of date', async function () {
      this.timeout(120_000);
      const page = await browser.newPage();
      await page.goto(running.url);
      await load(() => ({ version: 1, platforms: [], accounts: [] }));
      await until(page, `${NEWS} === 'Not ready: Accounts'`);
      expect(await violations(page)).to.deep.equal([]);
      expect(await page.title()).to.equal('Not ready: signer-1');
      expect(await page.evaluate(`document.getElementById('checks').textContent`)).to.include('Accounts failed: The');
      await running.service.stop();
      await until(page, `${NEWS} === 'Not updated: the service cannot be reached'`);
      expect(await page.title()).to.equal('Not updated: signer-1');
      expect(await page.evaluate(UPDATED)).to.match(/^Not updated since 20\S+Z: the service cannot be reached$/);
    });
  });
});
