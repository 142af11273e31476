import { Agent, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { type AgentOptions, Agent as SecureAgent, request as secureRequest } from 'node:https';
import type { Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { Refusal } from './errors.ts';
import { type GivenText, readSecretSource, type TlsOptions } from './options.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './types.ts';

/**
 * How far a request got: `waiting` for a connection, `connecting`, or `sent`, when the service may
 * have received it.
 */
export type Progress = 'waiting' | 'connecting' | 'sent';

/** Why there is no response. */
export type TransportErrorKind = 'disconnected' | 'connect-timeout' | 'too-long' | 'aborted';

/** An exchange without a complete response. */
export class TransportError extends Error {
  readonly kind: TransportErrorKind;
  readonly progress: Progress;
  readonly reusedConnection: boolean;
  /** HTTP status if it arrived. */
  readonly status: number | null;

  constructor(
    kind: TransportErrorKind,
    { progress, reusedConnection, status }: Pick<TransportError, 'progress' | 'reusedConnection' | 'status'>,
    cause?: unknown,
  ) {
    super(kind, { cause });
    this.kind = kind;
    this.progress = progress;
    this.reusedConnection = reusedConnection;
    this.status = status;
  }
}

/** An HTTP request. */
export interface WireRequest {
  readonly endpoint: Endpoint;
  readonly method: 'GET' | 'POST';
  /** Path with query, as in the request line. */
  readonly target: string;
  readonly headers: { readonly [name: string]: string };
  /** Empty for no body. */
  readonly body: Buffer;
  readonly connectTimeoutMs: number;
  readonly maxAnswerBytes: number;
  /** Aborts the exchange. */
  readonly signal: AbortSignal;
}

/** A complete HTTP response. */
export interface WireResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly reusedConnection: boolean;
}

/** Sends a request and reads the response; rejects with a {@link TransportError}. */
export function exchange(request: WireRequest): Promise<WireResponse> {
  return new Promise((resolve, reject) => new Exchange(request, resolve, reject));
}

/**
 * Established connections, after the TLS handshake. Node's `reusedSocket` misses a connection
 * handed directly to a waiting request.
 */
const ESTABLISHED = new WeakSet<Socket>();

class Exchange {
  readonly #wire: WireRequest;
  readonly #resolve: (response: WireResponse) => void;
  readonly #reject: (error: TransportError) => void;
  readonly #request: ClientRequest;
  readonly #abort: () => void;
  #progress: Progress = 'waiting';
  #reusedConnection = false;
  #status: number | null = null;
  #connectTimer: NodeJS.Timeout | undefined;

  constructor(wire: WireRequest, resolve: (response: WireResponse) => void, reject: (error: TransportError) => void) {
    const { endpoint, method, target, headers, body, signal } = wire;
    this.#wire = wire;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#request = endpoint.request({ ...endpoint.route, method, path: target, headers });
    this.#abort = () => this.#fail('aborted');
    this.#request.on('socket', (socket) => this.#onSocket(socket));
    this.#request.on('error', (error) => this.#fail('disconnected', error));
    this.#request.on('response', (response) => this.#onResponse(response));
    signal.addEventListener('abort', this.#abort, { once: true });
    if (signal.aborted) this.#fail('aborted');
    else this.#request.end(body);
  }

  /** Nothing is written before the connection and its TLS handshake are complete. */
  #onSocket(socket: Socket): void {
    if (ESTABLISHED.has(socket)) {
      this.#reusedConnection = true;
      this.#progress = 'sent';
      return;
    }
    this.#progress = 'connecting';
    const { endpoint, connectTimeoutMs } = this.#wire;
    this.#connectTimer = setTimeout(() => this.#fail('connect-timeout'), connectTimeoutMs);
    socket.once(endpoint.isSecure ? 'secureConnect' : 'connect', () => {
      clearTimeout(this.#connectTimer);
      ESTABLISHED.add(socket);
      this.#progress = 'sent';
    });
  }

  #onResponse(response: IncomingMessage): void {
    this.#status = response.statusCode ?? null;
    const chunks: Buffer[] = [];
    let length = 0;
    response.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > this.#wire.maxAnswerBytes) this.#fail('too-long');
      else chunks.push(chunk);
    });
    // Node reports a truncated response as an error without an end.
    response.on('error', (error) => this.#fail('disconnected', error));
    response.on('end', () => {
      this.#release();
      this.#resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: Buffer.concat(chunks, length),
        reusedConnection: this.#reusedConnection,
      });
    });
  }

  /** The first failure counts; destroying the connection causes more. */
  #fail(kind: TransportErrorKind, cause?: unknown): void {
    const [progress, reusedConnection, status] = [this.#progress, this.#reusedConnection, this.#status];
    this.#reject(new TransportError(kind, { progress, reusedConnection, status }, cause));
    this.#release();
    this.#request.destroy();
  }

  #release(): void {
    clearTimeout(this.#connectTimer);
    this.#wire.signal.removeEventListener('abort', this.#abort);
  }
}

/** Connections to one address. */
export interface ConnectionOptions {
  readonly maxConnections: number;
  readonly idleTimeoutMs: number;
  readonly tls: TlsOptions | undefined;
}

/** A listener of the service and its connection pool. */
export class Endpoint {
  readonly isSecure: boolean;
  /** Precedes `/api/v1`. */
  readonly prefix: string;
  /** For {@link Endpoint.request}. */
  readonly route: { readonly host: string; readonly port: string; readonly agent: Agent };
  /** `request` of node:http or node:https. */
  readonly request: typeof request;

  /** Throws a TypeError for an invalid URL or TLS options. */
  constructor(url: string, name: string, { maxConnections, idleTimeoutMs, tls }: ConnectionOptions) {
    if (!URL.canParse(url)) throw new TypeError(`${name} is not a valid URL.`);
    const { protocol, hostname, port, pathname, username, password, search, hash } = new URL(url);
    if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError(`${name} must start with https: or http:.`);
    if (username !== '' || password !== '') throw new TypeError(`${name} must not contain a user or password.`);
    if (search !== '' || hash !== '') throw new TypeError(`${name} must not have a query or fragment.`);
    this.isSecure = protocol === 'https:';
    this.prefix = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
    this.request = this.isSecure ? secureRequest : request;
    // Closes idle connections; Node uses the service's keep-alive hint if that is shorter.
    const pool = { keepAlive: true, maxSockets: maxConnections, timeout: idleTimeoutMs };
    const agent = this.isSecure ? new SecureAgent({ ...pool, ...agentTls(tls ?? {}) }) : new Agent(pool);
    this.route = { host: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname, port, agent };
  }

  /** Closes idle connections now, others after their call. */
  close(): void {
    const { agent } = this.route;
    // Node reads this when a call returns its connection.
    Object.assign(agent, { keepAlive: false });
    for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }
}

function agentTls({ ca, cert, key, serverName }: TlsOptions): AgentOptions {
  if ((cert === undefined) !== (key === undefined)) throw new TypeError('tls.cert and tls.key must be set together.');
  const pem = {
    // Any of these certificates ends a chain, as in Go.
    ...(ca !== undefined && { ca: readPem(ca, 'ca'), allowPartialTrustChain: true }),
    ...(cert !== undefined && { cert: readPem(cert, 'cert') }),
    ...(key !== undefined && { key: readPem(key, 'key') }),
  };
  try {
    createSecureContext(pem);
  } catch (cause) {
    throw new TypeError(`OpenSSL rejects the tls options: ${cause instanceof Error ? cause.message : ''}`);
  }
  return { ...pem, minVersion: 'TLSv1.2', ...(serverName !== undefined && { servername: serverName }) };
}

function readPem(source: GivenText, name: string): string {
  const text = readSecretSource(source);
  if (text.includes('-----BEGIN ')) return text;
  throw new TypeError(`tls.${name} is not PEM; pass a file as { file: '…' }.`);
}

/** Parsed envelope of a response. */
export type EnvelopeOutcome =
  | { readonly kind: 'data'; readonly data: JsonObject }
  | { readonly kind: 'refusal'; readonly refusal: Refusal<string> }
  | { readonly kind: 'invalid'; readonly message: string };

const JSON_TYPE = /^application\/json(?:;|$)/i;

const WHOLE_SECONDS = /^\d{1,9}$/;

/**
 * Parses the envelope: `{"success":true,"data":{…}}` with status 200, or
 * `{"success":false,"error":{…}}` with another.
 */
export function readEnvelope({ status, headers, body }: WireResponse): EnvelopeOutcome {
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) return invalid(`The response with status ${status} is not JSON.`);
  const json = parseJson(body);
  if (!isJsonObject(json)) return invalid(`The response with status ${status} is not a valid JSON object.`);
  const { success, data, error } = json;
  if (status === 200 && success === true && isJsonObject(data)) return { kind: 'data', data };
  if (status >= 400 && success === false && isJsonObject(error))
    return readError(status, error, headers['retry-after']);
  return invalid(`The response with status ${status} does not have the envelope of the service.`);
}

function readError(status: number, { code, message, details }: JsonObject, retryAfter?: string): EnvelopeOutcome {
  if (typeof code !== 'string' || typeof message !== 'string' || !isJsonObject(details)) {
    return invalid(`The response with status ${status} has no valid error object.`);
  }
  const retryAfterMs = getRetryAfter(details['retryAfterMs'], retryAfter);
  return { kind: 'refusal', refusal: { code, message, details, status, retryAfterMs } };
}

/** From the details if present, else from Retry-After in whole seconds (RFC 9110 §10.2.3). */
function getRetryAfter(exact: JsonValue | undefined, header: string | undefined): number | null {
  if (typeof exact === 'number' && exact >= 0) return exact;
  return header !== undefined && WHOLE_SECONDS.test(header) ? Number(header) * 1000 : null;
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return null;
  }
}

function invalid(message: string): EnvelopeOutcome {
  return { kind: 'invalid', message };
}
