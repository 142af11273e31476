import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { installedProgram } from '../programs/installed-program.ts';

const HOW_TO_GET_IT = 'chromium is not on PATH: apt-get install chromium';

/** A browser that a suite shares. */
export interface SharedBrowser {
  /** An empty page in a new context; the suite closes it at the end. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
}

/**
 * A suite that needs a browser. Without one it prints how to install it and registers nothing; in
 * CI (`CI=true`) it fails.
 */
export function describeWithChromium(title: string, define: (browser: SharedBrowser) => void): void {
  const executablePath = ['chromium', 'chromium-browser', 'google-chrome'].map(installedProgram).find(Boolean);
  if (executablePath === undefined && process.env['CI'] !== 'true') {
    process.stderr.write(`Not run: ${title}. ${HOW_TO_GET_IT}\n`);
    return;
  }
  describe(title, () => {
    let running: Browser;
    before(async () => {
      if (executablePath === undefined) throw new Error(HOW_TO_GET_IT);
      // Containers seldom permit its sandbox; it opens only this service's pages.
      running = await chromium.launch({ executablePath, chromiumSandbox: false });
    });
    after(() => running?.close());
    define({ newPage: (options) => running.newPage({ ignoreHTTPSErrors: true, ...options }) });
  });
}
