import type { Chromium } from '../../scripts/run/chromium.ts';

/** Records a browser's requests and complaints. */
export class PageWatch {
  /** URLs requested, except `data:`. */
  readonly requests: string[] = [];
  /** Console messages, errors, policy violations and failed requests. */
  readonly complaints: string[] = [];

  constructor(browser: Chromium) {
    browser.onEvent((method, params) => {
      if (method === 'Network.requestWillBeSent') this.#ask(params.request.url);
      if (method === 'Network.loadingFailed') this.complaints.push(`failed: ${params.errorText}`);
      if (method === 'Log.entryAdded') this.complaints.push(`${params.entry.source}: ${params.entry.text}`);
      if (method === 'Runtime.consoleAPICalled') this.complaints.push(`console: ${JSON.stringify(params.args)}`);
      if (method === 'Runtime.exceptionThrown') this.complaints.push(`error: ${params.exceptionDetails.text}`);
      if (method === 'Audits.issueAdded') this.complaints.push(`issue: ${JSON.stringify(params.issue)}`);
    });
  }

  #ask(url: string): void {
    if (!url.startsWith('data:')) this.requests.push(url);
  }
}
