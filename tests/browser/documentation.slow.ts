import axe from 'axe-core';
import { expect } from 'chai';
import { startService } from '../harness/running-service.ts';
import { describeWithChromium } from './describe-with-chromium.ts';

const VIOLATIONS =
  "axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))";

describeWithChromium('The page of the API in a browser', (browser) => {
  for (const [width, colorScheme, paper] of [
    [1280, 'light', 'rgb(255, 255, 255)'],
    [360, 'dark', 'rgb(18, 21, 28)'],
  ] as const) {
    it(`is accessible and fits: ${width} pixels, ${colorScheme}`, async function () {
      this.timeout(60_000);
      const service = await startService();
      try {
        const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
        await page.goto(`http://127.0.0.1:${service.port}/docs`);
        expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).to.equal(paper);
        expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(width);
        await page.evaluate(`${axe.source}; 0`);
        expect(await page.evaluate(VIOLATIONS)).to.deep.equal([]);
      } finally {
        await service.close();
      }
    });
  }
});
