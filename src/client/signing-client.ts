import { Caller } from './caller.ts';
import { checkSignable } from './canonical-json.ts';
import { isServiceError } from './errors.ts';
import { Endpoint } from './exchange.ts';
import type { ApiRequest, ApiResult } from './http-attempt.ts';
import { MutualAuthentication } from './mutual-authentication.ts';
import type { Readiness, ReloadResult, StatusReport } from './operator-types.ts';
import {
  type CallOptions,
  rejectUnknown,
  type SignCallOptions,
  type SigningCallOptions,
  type SigningClientOptions,
  type StatusCallOptions,
  wholeNumber,
} from './options.ts';
import {
  type Included,
  readAccount,
  readAccountList,
  readAccountPage,
  readBatch,
  readFailedReadiness,
  readReadiness,
  readReload,
  readSignature,
  readStatus,
  readVerification,
} from './read-responses.ts';
import { RetryPolicy } from './retry-policy.ts';
import { SignatureCheck } from './signature-check.ts';
import type {
  Account,
  AccountList,
  AccountName,
  AccountPage,
  AccountSelection,
  BatchItemResult,
  BatchRequest,
  BatchResult,
  JsonObject,
  ListedAccount,
  PageSelection,
  RequestToSend,
  Signature,
  SignRequest,
  Verification,
  VerifyRequest,
} from './types.ts';

const MAX_TIMEOUT_MS = 3_600_000;
const DEFAULT_PAGE_SIZE = 1000;

const OPTIONS = [
  ...['url', 'adminUrl', 'tls', 'authentication', 'timeoutMs', 'connectTimeoutMs', 'maxConnections', 'idleTimeoutMs'],
  ...['maxAnswerBytes', 'retry', 'verifySignatures', 'pinnedKeys', 'pinnedKeysOnly', 'expectedPayloads', 'onAttempt'],
];
const CALL_OPTIONS = ['signal', 'timeoutMs', 'requestId', 'traceparent'];
const VERIFY_CALL_OPTIONS = [...CALL_OPTIONS, 'includePayload'];
const SIGN_CALL_OPTIONS = [...VERIFY_CALL_OPTIONS, 'includeRequest'];
const STATUS_CALL_OPTIONS = [...CALL_OPTIONS, 'include'];

/**
 * A client of the signing service (docs/callers/clients.md). Create one per service and share it:
 * it keeps connections open.
 *
 * Methods reject with a TypeError or RangeError for invalid arguments before anything is sent, with
 * the reason of `signal`, or with a SigningClientError. No retry signs twice
 * unless `retry.whenUnanswered` allows it.
 */
export class SigningClient {
  readonly #endpoint: Endpoint;
  readonly #adminEndpoint: Endpoint;
  readonly #caller: Caller;
  readonly #check: SignatureCheck;
  #isClosed = false;

  /**
   * Throws a TypeError or RangeError for an invalid option, and Node's error for an unreadable
   * file.
   */
  constructor(options: SigningClientOptions) {
    rejectUnknown(options, OPTIONS, 'SigningClient');
    const { url, adminUrl, tls, authentication } = options;
    if (tls !== undefined) rejectUnknown(tls, ['ca', 'cert', 'key', 'serverName'], 'tls');
    if (authentication !== undefined) {
      rejectUnknown(authentication, ['privateKey', 'token', 'serviceKey', 'authorityKeys'], 'authentication');
    }
    const connections = {
      maxConnections: boundedInteger(options.maxConnections, 'maxConnections', 64, 65_536),
      idleTimeoutMs: boundedInteger(options.idleTimeoutMs, 'idleTimeoutMs', 30_000, MAX_TIMEOUT_MS),
      tls,
    };
    this.#endpoint = new Endpoint(url, 'url', connections);
    this.#adminEndpoint = adminUrl === undefined ? this.#endpoint : new Endpoint(adminUrl, 'adminUrl', connections);
    if (tls !== undefined && !this.#endpoint.isSecure && !this.#adminEndpoint.isSecure) {
      throw new TypeError('tls is set, but the URL is not https.');
    }
    this.#check = new SignatureCheck(options);
    this.#caller = new Caller({
      retry: new RetryPolicy(options.retry ?? {}),
      authentication: authentication === undefined ? null : new MutualAuthentication(authentication),
      timeoutMs: boundedInteger(options.timeoutMs, 'timeoutMs', 10_000, MAX_TIMEOUT_MS),
      connectTimeoutMs: boundedInteger(options.connectTimeoutMs, 'connectTimeoutMs', 2000, MAX_TIMEOUT_MS),
      maxAnswerBytes: boundedInteger(options.maxAnswerBytes, 'maxAnswerBytes', 67_108_864, 536_870_912),
      onAttempt: options.onAttempt,
    });
  }

  /** Signs one data object. */
  async sign(
    request: SignRequest,
    options: SignCallOptions & { readonly includeRequest: true },
  ): Promise<Signature & { readonly request: RequestToSend }>;
  async sign(request: SignRequest, options?: SignCallOptions): Promise<Signature>;
  async sign(request: SignRequest, options: SignCallOptions = {}): Promise<Signature> {
    checkSignable(request.data, 'data');
    const included = this.#included(options);
    const apiRequest = this.#signing('/sign', toSent(request), included);
    const expectation = this.#check.expect(request);
    const { value, requestId } = await this.#call(apiRequest, options, (data) => readSignature(data, included));
    return { ...value, verified: await this.#check.check(expectation, value, requestId) };
  }

  /**
   * Signs many in one call. Items succeed or fail independently; rejects if nothing was signed or a
   * signature must not be used.
   */
  async signBatch(requests: readonly BatchRequest[], options: SignCallOptions = {}): Promise<BatchResult> {
    const sent = requests.map((request, index) => {
      checkSignable(request.data, `requests[${index}].data`);
      return { requestId: request.requestId, ...toSent(request) };
    });
    const included = this.#included(options);
    const apiRequest = this.#signing('/sign/batch', { requests: sent }, included);
    const expectations = sent.map((request) => this.#check.expect(request));
    const read = (data: JsonObject) => readBatch(data, sent, included);
    const { value, requestId } = await this.#call(apiRequest, options, read);
    const results: BatchItemResult[] = [];
    for (const [index, result] of value.results.entries()) {
      const expectation = expectations[index];
      if (result.status === 'failed' || expectation === undefined) results.push(result);
      else results.push({ ...result, verified: await this.#check.check(expectation, result, requestId) });
    }
    return { ...value, results };
  }

  /** Verifies a signature with the service. */
  async verify(request: VerifyRequest, options: SigningCallOptions = {}): Promise<Verification> {
    checkSignable(request.data, 'data');
    const query = options.includePayload === true ? { query: '?include=payload' } : {};
    const json = { ...toSent(request), signature: request.signature };
    const apiRequest = { endpoint: this.#endpoint, method: 'POST', path: '/verify', json, ...query } as const;
    return (await this.#call(apiRequest, options, readVerification, VERIFY_CALL_OPTIONS)).value;
  }

  /**
   * All accounts that the caller may read, in one response.
   * For many accounts, use {@link SigningClient.eachAccount}.
   */
  async accounts({ platformId }: AccountSelection = {}, options: CallOptions = {}): Promise<AccountList> {
    const apiRequest = this.#accounts({ ...(platformId !== undefined && { platform: platformId }) });
    return (await this.#call(apiRequest, options, readAccountList)).value;
  }

  /** One page of accounts. */
  async accountPage(page: PageSelection = {}, options: CallOptions = {}): Promise<AccountPage> {
    const { platformId, limit = DEFAULT_PAGE_SIZE, cursor } = page;
    const apiRequest = this.#accounts({
      ...(platformId !== undefined && { platform: platformId }),
      limit: String(limit),
      ...(cursor !== undefined && { cursor }),
    });
    return (await this.#call(apiRequest, options, readAccountPage)).value;
  }

  /**
   * Iterates over all accounts page by page; `timeoutMs` applies to each page. An account present
   * throughout is yielded exactly once, despite reloads.
   */
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

  /** One account; throws a VerificationError if another key is pinned. */
  async account({ platformId, accountId }: AccountName, options: CallOptions = {}): Promise<Account> {
    const path = `/accounts/${encodeURIComponent(platformId)}/${encodeURIComponent(accountId)}`;
    const apiRequest = { endpoint: this.#endpoint, method: 'GET', path } as const;
    const read = (data: JsonObject) => readAccount(data, { platformId, accountId });
    const { value, requestId } = await this.#call(apiRequest, options, read);
    this.#check.checkKey(value, value.publicKey, requestId);
    return value;
  }

  /** Reloads the credentials, through `adminUrl` if set. */
  async reload(options: CallOptions = {}): Promise<ReloadResult> {
    const apiRequest = { endpoint: this.#adminEndpoint, method: 'POST', path: '/config/reload' } as const;
    return (await this.#call(apiRequest, options, readReload)).value;
  }

  /** Status of the service, through `adminUrl` if set. */
  async status(options: StatusCallOptions = {}): Promise<StatusReport> {
    const { include = [] } = options;
    const query = include.length === 0 ? {} : { query: `?${new URLSearchParams({ include: include.join(',') })}` };
    const apiRequest = { endpoint: this.#adminEndpoint, method: 'GET', path: '/status', ...query } as const;
    return (await this.#call(apiRequest, options, readStatus, STATUS_CALL_OPTIONS)).value;
  }

  /**
   * Whether the service is ready, and which checks fail, through `adminUrl` if set. Needs no
   * permission. The response is not authenticated.
   */
  async readiness(options: CallOptions = {}): Promise<Readiness> {
    const endpoint = this.#adminEndpoint;
    const apiRequest = { endpoint, method: 'GET', path: '/readyz', isHealthCheck: true } as const;
    try {
      return (await this.#call(apiRequest, options, readReadiness)).value;
    } catch (error) {
      const readiness = isServiceError(error, 'NOT_READY') ? readFailedReadiness(error.details) : null;
      if (readiness === null) throw error;
      return readiness;
    }
  }

  /**
   * Closes idle connections now, others after their calls; later calls are rejected. Open idle
   * connections don't keep the process alive.
   */
  close(): void {
    this.#isClosed = true;
    this.#endpoint.close();
    this.#adminEndpoint.close();
  }

  #included({ includePayload = false, includeRequest = false }: SignCallOptions): Included {
    const needsPayload = includePayload || this.#check.needsPayload;
    return [...(needsPayload ? ['payload' as const] : []), ...(includeRequest ? ['request' as const] : [])];
  }

  #signing(path: string, json: object, included: Included): ApiRequest {
    const query = included.length === 0 ? {} : { query: `?include=${included.join(',')}` };
    return { endpoint: this.#endpoint, method: 'POST', path, json, ...query };
  }

  #accounts(parameters: { readonly [name: string]: string }): ApiRequest {
    const query = new URLSearchParams(parameters).toString();
    return { endpoint: this.#endpoint, method: 'GET', path: '/accounts', ...(query !== '' && { query: `?${query}` }) };
  }

  async #call<Value>(
    apiRequest: ApiRequest,
    options: CallOptions,
    read: (data: JsonObject) => Value,
    allowed: readonly string[] = apiRequest.path.startsWith('/sign') ? SIGN_CALL_OPTIONS : CALL_OPTIONS,
  ): Promise<ApiResult<Value>> {
    if (this.#isClosed) throw new TypeError('The client is closed.');
    rejectUnknown(options, allowed, 'A call');
    if (options.timeoutMs !== undefined) boundedInteger(options.timeoutMs, 'timeoutMs', 1, MAX_TIMEOUT_MS);
    return this.#caller.call(apiRequest, options, read);
  }
}

/** The members of a request that the service takes. */
function toSent({ platformId, accountId, data, rule }: SignRequest): SignRequest {
  return { platformId, accountId, data, ...(rule !== undefined && { rule }) };
}

function boundedInteger(value: number | undefined, name: string, fallback: number, max: number): number {
  return wholeNumber(value, name, { fallback, min: 1, max });
}
