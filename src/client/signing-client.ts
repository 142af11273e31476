import type {
  Account,
  AccountList,
  AccountName,
  AccountPage,
  AccountSelection,
  ListedAccount,
  PageSelection,
} from './account-types.ts';
import { Caller } from './caller.ts';
import type { CallOptions, SigningCallOptions, SigningClientOptions } from './client-options.ts';
import { Endpoint } from './endpoint.ts';
import type { JsonObject } from './json.ts';
import { refuseUnknown, wholeNumber } from './known-options.ts';
import { MutualAuthentication } from './mutual-authentication.ts';
import type { Question, Told } from './one-attempt.ts';
import {
  readAccount,
  readAccountList,
  readAccountPage,
  readBatch,
  readReload,
  readSignature,
  readStatus,
  readVerification,
} from './read-answers.ts';
import { RetryPolicy } from './retry-policy.ts';
import { checkSignable } from './signable-data.ts';
import { SignatureCheck } from './signature-check.ts';
import type {
  BatchItemResult,
  BatchRequest,
  BatchResult,
  Signature,
  SignRequest,
  Verification,
  VerifyRequest,
} from './signing-types.ts';
import type { ReloadResult, StatusReport } from './status-types.ts';

const LONGEST_TIMEOUT_MS = 3_600_000;
const ACCOUNTS_ON_A_PAGE = 1000;

const OPTIONS = [
  ...['url', 'adminUrl', 'tls', 'authentication', 'timeoutMs', 'connectTimeoutMs', 'maxConnections', 'idleTimeoutMs'],
  ...['maxAnswerBytes', 'retry', 'verifySignatures', 'pinnedKeys', 'pinnedKeysOnly', 'expectedPayloads', 'onAttempt'],
];
const CALL_OPTIONS = ['signal', 'timeoutMs', 'requestId', 'traceparent'];
const SIGNING_CALL_OPTIONS = [...CALL_OPTIONS, 'includePayload'];

/**
 * A caller of the signing service (docs/CLIENTS.md). It keeps its connections open: make one for each service, and use it for all calls.
 *
 * Every method rejects with a TypeError or RangeError for a call that makes no sense, before anything is sent, with the reason of the call's `signal`, or with one of the subclasses of SigningClientError; none is retried where it might sign twice.
 */
export class SigningClient {
  readonly #endpoint: Endpoint;
  readonly #adminEndpoint: Endpoint;
  readonly #caller: Caller;
  readonly #check: SignatureCheck;
  #isClosed = false;

  /** A TypeError or RangeError says which option is wrong; files that can't be read give Node's error. */
  constructor(options: SigningClientOptions) {
    refuseUnknown(options, OPTIONS, 'SigningClient');
    const { url, adminUrl, tls, authentication } = options;
    if (tls !== undefined) refuseUnknown(tls, ['ca', 'cert', 'key', 'serverName'], 'tls');
    if (authentication !== undefined) {
      refuseUnknown(authentication, ['privateKey', 'token', 'serviceKey', 'authorityKeys'], 'authentication');
    }
    const connections = {
      maxConnections: within(options.maxConnections, 'maxConnections', 64, 65_536),
      idleTimeoutMs: within(options.idleTimeoutMs, 'idleTimeoutMs', 30_000, LONGEST_TIMEOUT_MS),
      tls,
    };
    this.#endpoint = new Endpoint(url, 'url', connections);
    this.#adminEndpoint = adminUrl === undefined ? this.#endpoint : new Endpoint(adminUrl, 'adminUrl', connections);
    if (tls !== undefined && !this.#endpoint.isSecure && !this.#adminEndpoint.isSecure) {
      throw new TypeError('tls is given, and the URL is not https.');
    }
    this.#check = new SignatureCheck(options);
    this.#caller = new Caller({
      retry: new RetryPolicy(options.retry ?? {}),
      authentication: authentication === undefined ? null : new MutualAuthentication(authentication),
      timeoutMs: within(options.timeoutMs, 'timeoutMs', 10_000, LONGEST_TIMEOUT_MS),
      connectTimeoutMs: within(options.connectTimeoutMs, 'connectTimeoutMs', 2000, LONGEST_TIMEOUT_MS),
      maxAnswerBytes: within(options.maxAnswerBytes, 'maxAnswerBytes', 67_108_864, 536_870_912),
      onAttempt: options.onAttempt,
    });
  }

  /** Has one data object signed. */
  async sign(request: SignRequest, options: SigningCallOptions = {}): Promise<Signature> {
    const { platformId, accountId, data } = request;
    checkSignable(data, 'data');
    const question = this.#signing('/sign', { platformId, accountId, data }, options);
    const withPayload = question.query !== undefined;
    const asked = this.#check.begin(request);
    const { value, requestId } = await this.#ask(question, options, (answer) => readSignature(answer, withPayload));
    return { ...value, verified: await this.#check.check(asked, value, requestId) };
  }

  /**
   * Has many signed in one call. Each succeeds or fails on its own, so that the call resolves although some failed; it rejects where nothing was signed, and where a signature is not to be used.
   */
  async signBatch(requests: readonly BatchRequest[], options: SigningCallOptions = {}): Promise<BatchResult> {
    const sent = requests.map(({ requestId, platformId, accountId, data }, index) => {
      checkSignable(data, `requests[${index}].data`);
      return { requestId, platformId, accountId, data };
    });
    const question = this.#signing('/sign/batch', { requests: sent }, options);
    const withPayload = question.query !== undefined;
    const asked = sent.map((request) => this.#check.begin(request));
    const read = (answer: JsonObject) => readBatch(answer, sent, withPayload);
    const { value, requestId } = await this.#ask(question, options, read);
    const results: BatchItemResult[] = [];
    for (const [index, result] of value.results.entries()) {
      const one = asked[index];
      if (result.status === 'failed' || one === undefined) results.push(result);
      else results.push({ ...result, verified: await this.#check.check(one, result, requestId) });
    }
    return { ...value, results };
  }

  /** Asks the service whether a signature is an account's over some data. */
  async verify(request: VerifyRequest, options: SigningCallOptions = {}): Promise<Verification> {
    const { platformId, accountId, data, signature } = request;
    checkSignable(data, 'data');
    const query = options.includePayload === true ? { query: '?include=payload' } : {};
    const json = { platformId, accountId, data, signature };
    const question = { endpoint: this.#endpoint, method: 'POST', path: '/verify', json, ...query } as const;
    return (await this.#ask(question, options, readVerification, SIGNING_CALL_OPTIONS)).value;
  }

  /** All accounts that the caller may read, in one answer. Where there are many, {@link SigningClient.eachAccount} asks for pages. */
  async accounts({ platformId }: AccountSelection = {}, options: CallOptions = {}): Promise<AccountList> {
    const question = this.#accounts({ ...(platformId !== undefined && { platform: platformId }) });
    return (await this.#ask(question, options, readAccountList)).value;
  }

  /** One page of them. */
  async accountPage(page: PageSelection = {}, options: CallOptions = {}): Promise<AccountPage> {
    const { platformId, limit = ACCOUNTS_ON_A_PAGE, cursor } = page;
    const question = this.#accounts({
      ...(platformId !== undefined && { platform: platformId }),
      limit: String(limit),
      ...(cursor !== undefined && { cursor }),
    });
    return (await this.#ask(question, options, readAccountPage)).value;
  }

  /** Each of them, page by page; `timeoutMs` holds for each page. An account that is there all the time comes exactly once, whatever is reloaded meanwhile. */
  async *eachAccount(
    selection: AccountSelection & Pick<PageSelection, 'limit'> = {},
    options: Omit<CallOptions, 'requestId'> = {},
  ): AsyncGenerator<ListedAccount, void, undefined> {
    let cursor: string | null = null;
    do {
      const page: AccountPage = await this.accountPage({ ...selection, ...(cursor !== null && { cursor }) }, options);
      yield* page.accounts;
      cursor = page.nextCursor;
    } while (cursor !== null);
  }

  /** One account; a VerificationError where another key is pinned for it. */
  async account({ platformId, accountId }: AccountName, options: CallOptions = {}): Promise<Account> {
    const path = `/accounts/${encodeURIComponent(platformId)}/${encodeURIComponent(accountId)}`;
    const question = { endpoint: this.#endpoint, method: 'GET', path } as const;
    const read = (data: JsonObject) => readAccount(data, { platformId, accountId });
    const { value, requestId } = await this.#ask(question, options, read);
    this.#check.checkKey(value, value.publicKey, requestId);
    return value;
  }

  /** Has the credentials read anew; at `adminUrl` where there is one. */
  async reload(options: CallOptions = {}): Promise<ReloadResult> {
    const question = { endpoint: this.#adminEndpoint, method: 'POST', path: '/config/reload' } as const;
    return (await this.#ask(question, options, readReload)).value;
  }

  /** How the service is; at `adminUrl` where there is one. */
  async status(options: CallOptions = {}): Promise<StatusReport> {
    const question = { endpoint: this.#adminEndpoint, method: 'GET', path: '/status' } as const;
    return (await this.#ask(question, options, readStatus)).value;
  }

  /** Closes the connections: idle ones at once, others when their calls are over. Calls after this are refused. Without it, idle connections keep no process alive. */
  close(): void {
    this.#isClosed = true;
    this.#endpoint.close();
    this.#adminEndpoint.close();
  }

  #signing(path: string, json: object, options: SigningCallOptions): Question {
    refuseUnknown(options, SIGNING_CALL_OPTIONS, 'A call');
    const needsPayload = options.includePayload === true || this.#check.needsPayload;
    return { endpoint: this.#endpoint, method: 'POST', path, json, ...(needsPayload && { query: '?include=payload' }) };
  }

  #accounts(parameters: { readonly [name: string]: string }): Question {
    const query = new URLSearchParams(parameters).toString();
    return { endpoint: this.#endpoint, method: 'GET', path: '/accounts', ...(query !== '' && { query: `?${query}` }) };
  }

  async #ask<Value>(
    question: Question,
    options: CallOptions,
    read: (data: JsonObject) => Value,
    known: readonly string[] = question.path.startsWith('/sign') ? SIGNING_CALL_OPTIONS : CALL_OPTIONS,
  ): Promise<Told<Value>> {
    if (this.#isClosed) throw new TypeError('This client is closed.');
    refuseUnknown(options, known, 'A call');
    if (options.timeoutMs !== undefined) within(options.timeoutMs, 'timeoutMs', 1, LONGEST_TIMEOUT_MS);
    return this.#caller.ask(question, options, read);
  }
}

function within(given: number | undefined, name: string, fallback: number, max: number): number {
  return wholeNumber(given, name, { fallback, min: 1, max });
}
