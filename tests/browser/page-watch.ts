import type { Chromium } from '../../scripts/stage/chromium.ts';

/** What a browser did, and complained of, since this began to watch. */
export class PageWatch {
  /** Addresses that it asked for, those that hold their content themselves (`data:`) aside. */
  readonly requests: string[] = [];
  /** Everything on its console: messages, errors, violations of the content security policy, requests that failed. */
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
