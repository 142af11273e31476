import type { Page } from 'playwright-core';

/** Records a page's requests and complaints. */
export class PageWatch {
  /** URLs requested, except `data:`. */
  readonly requests: string[] = [];
  /** Console messages, errors, policy violations and failed requests. */
  readonly complaints: string[] = [];

  private constructor(page: Page) {
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) this.requests.push(request.url());
    });
    page.on('requestfailed', (request) => this.complaints.push(`failed: ${request.failure()?.errorText}`));
    page.on('console', (message) => this.complaints.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => this.complaints.push(`error: ${error.message}`));
  }

  /** Watches from now on. */
  static async start(page: Page): Promise<PageWatch> {
    const watch = new PageWatch(page);
    const session = await page.context().newCDPSession(page);
    session.on('Audits.issueAdded', ({ issue }) => watch.complaints.push(`issue: ${JSON.stringify(issue)}`));
    await session.send('Audits.enable');
    return watch;
  }
}
