import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import axe from 'axe-core';
import { expect } from 'chai';
import { Chromium } from '../../scripts/run/chromium.ts';
import { type ConsoleService, startConsoleService } from '../../scripts/service/console-service.ts';
import { describeWithChromium } from './describe-with-chromium.ts';
import { PageWatch } from './page-watch.ts';

const ACCOUNTS = 120;

const IS_WIDER = 'document.documentElement.scrollWidth > window.innerWidth';
const LISTED = `[...document.querySelectorAll('.accounts tbody th small')].map((name) => name.textContent)`;
const UPDATED = `document.querySelector('#updated time').dateTime`;
const HEAD = `document.querySelectorAll('.figure .value')[2].textContent`;
const NEWS = `document.getElementById('news').textContent`;

describeWithChromium('The console in a browser', (program) => {
  let running: ConsoleService;
  let browser: Chromium;

  before(async function () {
    this.timeout(60_000);
    running = await startConsoleService({ accountCount: ACCOUNTS, days: 30, callers: [] });
    browser = await Chromium.start(program);
    await browser.send('Security.setIgnoreCertificateErrors', { ignore: true });
    await running.traffic(6, 20);
  });
  after(async () => {
    await browser?.close();
    await running?.close();
  });

  /** Polls, since refreshes take their time. */
  async function until(expression: string): Promise<void> {
    while (!(await browser.evaluate(expression))) await sleep(100);
  }

  /** Rules that the page violates, with the elements. */
  async function violations(): Promise<readonly string[]> {
    await browser.evaluate(`${axe.source}; 0`);
    const expression = `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`;
    const { result } = await browser.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    return result.value;
  }

  /** Opens the page and runs `act`, which causes a navigation. */
  async function navigate(act: () => Promise<unknown>): Promise<void> {
    await browser.evaluate('window.isOld = true');
    await act();
    await until(`window.isOld === undefined && document.readyState === 'complete'`);
  }

  async function press(key: string, code: number): Promise<void> {
    const event = { key, code: key, windowsVirtualKeyCode: code, ...(key === 'Enter' && { text: '\r' }) };
    await browser.send('Input.dispatchKeyEvent', { type: 'keyDown', ...event });
    await browser.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  }

  const looks = [
    ['on a desk, in light colors', 1280, 900, 'light', 'rgb(255, 255, 255)'],
    ['on a desk, in dark colors', 1280, 900, 'dark', 'rgb(18, 21, 28)'],
    ['on a phone, in light colors', 360, 780, 'light', 'rgb(255, 255, 255)'],
    ['on a phone, in dark colors', 360, 780, 'dark', 'rgb(18, 21, 28)'],
  ] as const;
  for (const [name, width, height, colors, paper] of looks) {
    it(`is accessible, fits and requests only itself: ${name}`, async function () {
      this.timeout(30_000);
      const watch = new PageWatch(browser);
      await browser.emulate(width, height, colors);
      await browser.open(running.url);
      // On a busy machine the page refreshes meanwhile.
      expect([...new Set(watch.requests)]).to.deep.equal([running.url, `${running.url}console.js`]);
      expect(await browser.evaluate('getComputedStyle(document.body).backgroundColor')).to.equal(paper);
      expect(await browser.evaluate(IS_WIDER)).to.equal(false);
      expect(await violations()).to.deep.equal([]);
      expect(watch.complaints).to.deep.equal([]);
    });
  }

  it('is reported by axe if an element has no name (control)', async function () {
    this.timeout(30_000);
    await browser.open(running.url);
    await browser.evaluate(`document.querySelector('h1 img').removeAttribute('alt')`);
    expect((await violations()).join()).to.match(/^image-alt: /);
  });

  it('shows texts of users as text', async () => {
    await browser.open(running.url);
    expect(await browser.evaluate('document.title')).to.equal('Ready: signer-1');
    const aliases = `[...document.querySelectorAll('.accounts tbody th')].map((name) => name.firstChild.textContent)`;
    await browser.open(`${running.url}?q=script`);
    expect(await browser.evaluate(aliases)).to.deep.equal(['<script>document.title = "ran"</script> & "co"']);
  });

  describe('while it refreshes', () => {
    it('keeps typed text, focus, cursor and scroll position', async function () {
      this.timeout(60_000);
      const watch = new PageWatch(browser);
      await browser.emulate(1280, 700, 'light');
      await browser.open(running.url);
      const [updated, head] = [await browser.evaluate(UPDATED), await browser.evaluate(HEAD)];
      await browser.evaluate(`document.getElementById('q').focus({ preventScroll: true })`);
      await browser.send('Input.insertText', { text: 'half a wor' });
      await browser.evaluate(
        `document.getElementById('q').setSelectionRange(4, 6); window.scrollTo({ top: 240, behavior: 'instant' })`,
      );
      await running.traffic(1, 20);
      await until(`${UPDATED} !== '${updated}' && ${HEAD} !== '${head}'`);

      const kept = `const q = document.getElementById('q'); [document.activeElement.id, q.value, q.selectionStart, q.selectionEnd]`;
      expect(await browser.evaluate(`{ ${kept} }`)).to.deep.equal(['q', 'half a wor', 4, 6]);
      // The browser may follow content that grew above.
      expect(await browser.evaluate('window.scrollY')).to.be.closeTo(240, 60);
      expect(watch.complaints).to.deep.equal([]);
    });

    it('keeps the focus on a link of the table', async function () {
      this.timeout(60_000);
      await browser.open(running.url);
      const updated = await browser.evaluate(UPDATED);
      await browser.evaluate(`document.getElementById('by-errors').focus()`);
      await until(`${UPDATED} !== '${updated}'`);
      expect(await browser.evaluate('document.activeElement.id')).to.equal('by-errors');
    });

    it('can be paused and resumed', async function () {
      this.timeout(60_000);
      await browser.open(running.url);
      await browser.evaluate(`document.getElementById('pause').click()`);
      expect(await browser.evaluate(NEWS)).to.equal('Updates paused');
      const updated = await browser.evaluate(UPDATED);
      await sleep(7000);
      expect(await browser.evaluate(UPDATED)).to.equal(updated);
      await browser.evaluate(`document.getElementById('pause').click()`);
      await until(`${UPDATED} !== '${updated}'`);
    });
  });

  it('searches by the keyboard, sorts by a click and turns pages', async function () {
    this.timeout(60_000);
    await browser.emulate(1280, 900, 'light');
    await browser.open(running.url);
    await browser.evaluate(`document.getElementById('q').focus()`);
    await browser.send('Input.insertText', { text: 'backpack/' });
    await navigate(() => press('Enter', 13));
    const found = running.rows.filter(({ platformId }) => platformId === 'backpack').map(({ accountId }) => accountId);
    expect(await browser.evaluate(LISTED)).to.deep.equal(found.map((id) => `backpack/${id}`));
    expect(await browser.evaluate(`document.getElementById('q').value`)).to.equal('backpack/');

    await navigate(() => browser.evaluate(`document.getElementById('by-signatures').click()`));
    const counts = `[...document.querySelectorAll('.accounts tbody td:nth-child(5)')].map((count) => Number(count.textContent))`;
    const shown: readonly number[] = await browser.evaluate(counts);
    expect(shown).to.deep.equal(shown.toSorted((left, right) => right - left));
    expect(shown[0]).to.be.greaterThan(0);

    await browser.open(running.url);
    await navigate(() => browser.evaluate(`document.getElementById('next').click()`));
    await navigate(() => browser.evaluate(`document.getElementById('next').click()`));
    expect(await browser.evaluate(`${LISTED}.length`)).to.equal(ACCOUNTS - 100);
  });

  it('shows the focus at every stop of the keyboard, first a link to the content', async () => {
    await browser.emulate(1280, 900, 'light');
    await browser.open(running.url);
    const stops: string[] = [];
    for (let stop = 0; stop < 14; stop += 1) {
      await press('Tab', 9);
      const outline = `getComputedStyle(document.activeElement).outlineStyle`;
      expect(await browser.evaluate(outline), String(stop)).not.to.equal('none');
      stops.push(await browser.evaluate(`document.activeElement.id || document.activeElement.getAttribute('href')`));
    }
    expect(stops.slice(0, 6)).to.deep.equal(['#main', '#refusals', '#configuration', '#records', '#accounts', 'pause']);
    expect(stops).to.include.members(['q', 'sort', 'find', 'by-name']);
  });

  it('works without scripts', async function () {
    this.timeout(30_000);
    await browser.send('Emulation.setScriptExecutionDisabled', { value: true });
    try {
      const watch = new PageWatch(browser);
      await browser.open(`${running.url}?q=treasury/&sort=errors`);
      expect(watch.requests).to.deep.equal([`${running.url}?q=treasury/&sort=errors`]);
      const { root } = await browser.send('DOM.getDocument');
      const { nodeIds } = await browser.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector: '.accounts tr' });
      const { length } = running.rows.filter(({ platformId }) => platformId === 'treasury');
      expect(nodeIds).to.have.lengthOf(length + 1);
      const button = await browser.send('DOM.querySelector', { nodeId: root.nodeId, selector: '#pause[hidden]' });
      expect(button.nodeId).not.to.equal(0);
    } finally {
      await browser.send('Emulation.setScriptExecutionDisabled', { value: false });
    }
  });

  // Suites run after the tests beside them, in order.
  describe('of a service that stops', () => {
    it('announces a change of readiness, and that it is out of date', async function () {
      this.timeout(120_000);
      await browser.open(running.url);
      const file = running.place.path('credentials.json');
      writeFileSync(file, JSON.stringify({ version: 1, platforms: [], accounts: [] }), { mode: 0o600 });
      await running.service.reload();
      await until(`${NEWS} === 'Not ready: Accounts'`);
      expect(await violations()).to.deep.equal([]);
      expect(await browser.evaluate('document.title')).to.equal('Not ready: signer-1');
      await running.service.stop();
      await until(`${NEWS}.startsWith('Not updated: ')`);
      expect(await browser.evaluate(`document.body.className`)).to.equal('stale');
    });
  });
});
