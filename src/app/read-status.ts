import { X509Certificate } from 'node:crypto';
import type { StatusCall, StatusProblem, StatusReading, StatusSource } from '../adapters/cli/status/source.ts';
import { readConfiguredFile } from '../adapters/files/configured-file.ts';
import { isSystemError, systemErrorCode } from '../adapters/files/system-error-code.ts';
import {
  type AuthenticationOptions,
  isServiceError,
  NetworkError,
  ProtocolError,
  ServiceError,
  SigningClient,
  type SigningClientOptions,
  type StatusReport,
  type TlsOptions,
  UntrustedAnswerError,
} from '../client/client.ts';
import { OperatorError } from '../domain/model/errors.ts';
import type { JsonObject } from '../domain/model/json.ts';
import { printable } from '../domain/model/text/unsafe-characters.ts';
import { type Environment, readSettings } from './settings/settings.ts';

/** Timeout of a reading, milliseconds. */
const TIMEOUT_MS = 5000;

/**
 * The running service that options or settings name.
 * @throws OperatorError for an invalid option, file or setting
 */
export function openStatusSource(environment: Environment, call: StatusCall): StatusSource {
  const { url, tls } = call.url === undefined ? findService(environment) : { url: call.url, tls: {} };
  const given = toTls(call, tls);
  const authentication = toAuthentication(call);
  const client = openClient({
    ...{ url, timeoutMs: TIMEOUT_MS, retry: false },
    ...(Object.keys(given).length > 0 && { tls: given }),
    ...(authentication && { authentication }),
  });
  return new ClientStatusSource(client, url);
}

/** The operators' port, else the main port; loopback if it listens at every address. */
function findService(environment: Environment): { readonly url: string; readonly tls: TlsOptions } {
  const { host, port, admin, tls } = readSettings(environment);
  const listener = admin ?? { host, port };
  if (listener.port === 0) {
    throw new OperatorError('The settings name no port (0 is a free one): use --url with the address of the service.');
  }
  const address = toAddress(listener.host);
  const authority = toAuthority(listener);
  if (tls === null) return { url: `http://${authority}`, tls: {} };
  return { url: `https://${authority}`, tls: trustOwn(tls.certFile, address) };
}

/** Where a listener is reached: loopback if it listens at every address. */
function toAddress(host: string): string {
  const every = new Map([
    ['0.0.0.0', '127.0.0.1'],
    ['::', '::1'],
  ]);
  return every.get(host) ?? host;
}

/** Address and port of a listener in a URL. */
export function toAuthority({ host, port }: { readonly host: string; readonly port: number }): string {
  const address = toAddress(host);
  return `${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** Trusts the service's own certificate, under its own name if it is not for the address. */
function trustOwn(certFile: string, address: string): TlsOptions {
  const ca = readConfiguredFile('SIGNING_TLS_CERT_FILE', certFile).toString();
  try {
    const certificate = new X509Certificate(ca);
    const isForAddress = certificate.checkIP(address) ?? certificate.checkHost(address);
    const [, name] = /DNS:([^,]+)/.exec(certificate.subjectAltName ?? '') ?? [];
    return isForAddress !== undefined || name === undefined ? { ca } : { ca, serverName: name.replace('*', 'signer') };
  } catch {
    throw new OperatorError(`SIGNING_TLS_CERT_FILE: ${certFile} has no certificate in PEM. Check the path.`);
  }
}

function toTls({ ca, cert, key }: StatusCall, own: TlsOptions): TlsOptions {
  const files = Object.entries({ ca, cert, key }).filter(([, file]) => file !== undefined);
  return { ...own, ...Object.fromEntries(files.map(([name, file]) => [name, { file }])) };
}

function toAuthentication({ token, tokenKey, serviceKey, authority }: StatusCall): AuthenticationOptions | undefined {
  if ([token, tokenKey, serviceKey, authority].every((option) => option === undefined)) return undefined;
  if (token === undefined || tokenKey === undefined || serviceKey === undefined || authority === undefined) {
    throw new OperatorError('Use --token, --token-key, --service-key and --authority together.');
  }
  return { token: { file: token }, privateKey: { file: tokenKey }, serviceKey, authorityKeys: authority };
}

/** Options of the client and of the command. */
const OPTION_NAMES: readonly (readonly [client: RegExp, command: string])[] = [
  [/\btls\.(ca|cert|key)\b/g, '--$1'],
  [/\bauthentication\.token\b/g, '--token'],
  [/\bauthentication\.privateKey\b/g, '--token-key'],
  [/\bauthentication\.serviceKey\b/g, '--service-key'],
  [/\bauthentication\.authorityKeys\b/g, '--authority'],
  [/^url\b/g, '--url'],
  [/^tls is set, but the URL\b/g, '--ca, --cert or --key is used, but --url'],
  [/; pass a file as \{ file: '…' \}/g, ''],
];

/** The client reads the files, and reports wrong options as a TypeError. */
function openClient(options: SigningClientOptions): SigningClient {
  try {
    return new SigningClient(options);
  } catch (error) {
    if (isSystemError(error)) {
      const path = 'path' in error ? String(error.path) : 'the file';
      throw new OperatorError(`Cannot read ${path} (${systemErrorCode(error)}).`);
    }
    if (!(error instanceof TypeError)) throw error;
    throw new OperatorError(OPTION_NAMES.reduce((text, [name, option]) => text.replace(name, option), error.message));
  }
}

class ClientStatusSource implements StatusSource {
  readonly #client: SigningClient;
  readonly #url: string;
  /** Older services have no activity. */
  #hasActivity = true;

  constructor(client: SigningClient, url: string) {
    this.#client = client;
    this.#url = url;
  }

  async read(signal?: AbortSignal): Promise<StatusReading> {
    const options = signal === undefined ? {} : { signal };
    const [readiness, status] = await Promise.allSettled([this.#client.readiness(options), this.#readStatus(options)]);
    signal?.throwIfAborted();
    // A proxy may forward the API alone.
    const checked = readiness.status === 'fulfilled' ? readiness.value : null;
    const checks = (checked?.checks ?? null) as JsonObject | null;
    const at = { url: this.#url, time: new Date().toISOString() };
    if (status.status === 'fulfilled') {
      const ready = checked?.ready ?? status.value.status === 'healthy';
      return { ...at, ready, checks, status: { ...status.value } as unknown as JsonObject, problem: null };
    }
    // After a restart it may be a newer one.
    this.#hasActivity = true;
    return { ...at, ready: checked?.ready ?? null, checks, status: null, problem: toProblem(status.reason, this.#url) };
  }

  close(): void {
    this.#client.close();
  }

  async #readStatus(options: { readonly signal?: AbortSignal }): Promise<StatusReport> {
    if (!this.#hasActivity) return this.#client.status(options);
    try {
      return await this.#client.status({ ...options, include: ['activity'] });
    } catch (error) {
      if (!isServiceError(error, 'INVALID_DATA_FORMAT')) throw error;
      this.#hasActivity = false;
      return this.#client.status(options);
    }
  }
}

function toProblem(error: unknown, url: string): StatusProblem {
  if (error instanceof UntrustedAnswerError) {
    return error.claimed === null ? refused(explainUntrusted(error)) : toProblem(error.claimed, url);
  }
  if (error instanceof ServiceError) {
    return { kind: error.code === 'NOT_READY' ? 'not-ready' : 'refused', message: explainRefusal(error) };
  }
  if (error instanceof ProtocolError) {
    return refused(`${printable(error.message)} Does --url name the signing service? It is ${url}.`);
  }
  if (error instanceof NetworkError) return unreachable(explainNetworkError(error, url));
  const text = printable(error instanceof Error ? error.message : String(error));
  return unreachable(`${text} Is ${url} the address of the service?`);
}

function unreachable(message: string): StatusProblem {
  return { kind: 'unreachable', message };
}

function refused(message: string): StatusProblem {
  return { kind: 'refused', message };
}

function explainUntrusted({ reason }: UntrustedAnswerError): string {
  return `The response is not authenticated (${reason}): check --service-key and --authority, and that SIGNING_AUTH is on at the service.`;
}

function explainRefusal({ status, message, details }: ServiceError): string {
  const known = [textOf(details, 'reason'), textOf(details, 'principal', 'caller ')].filter((part) => part !== null);
  const reason = known.length === 0 ? '' : ` (${known.join(', ')})`;
  // The service may be hostile.
  const claim = `The service refuses the status with ${status} ${printable(`${message}${reason}`)}`;
  if (status === 401) {
    return `${claim}\nIdentify the caller with --cert and --key, or with --token, --token-key, --service-key and --authority.`;
  }
  if (status === 403) {
    return `${claim}\nThe caller needs the permission \`status\` (\`permission check\` explains), from an allowed network.`;
  }
  if (status === 404) {
    return `${claim}\nIf the service has an operators' port, only that port has the status: use --url with SIGNING_ADMIN_HOST and SIGNING_ADMIN_PORT.`;
  }
  return claim;
}

function textOf(details: object, name: string, label = ''): string | null {
  const value: unknown = Reflect.get(details, name);
  return typeof value === 'string' ? `${label}${value}` : null;
}

/** OpenSSL's and Node's codes for a certificate that is not trusted. */
const UNTRUSTED = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

/** Advice by error code. */
const ADVICE: readonly (readonly [code: RegExp, advice: string])[] = [
  [
    /^ECONNREFUSED$/,
    'Connection refused: nothing listens there. Is the service running, and is this its address (--url)?',
  ],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'The host is unknown. Check --url.'],
  [
    new RegExp(`^(${UNTRUSTED.join('|')})$`),
    'Its certificate is not trusted. Use --ca with the file of its CA certificate.',
  ],
  [/^CERT_HAS_EXPIRED$/, 'Its certificate has expired.'],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    'Its certificate is for another name. Use --url with a name from the certificate.',
  ],
  [/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE/, 'It requires a client certificate. Use --cert and --key.'],
  [/UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN/, 'It rejects the client certificate. Check --cert.'],
  [
    /^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/,
    'It does not use HTTPS. Use http:// in --url.',
  ],
  [
    /^ECONNRESET$/,
    'The connection was closed. If the service uses HTTPS, use https:// in --url; if it allows only some networks, call from one.',
  ],
];

function explainNetworkError({ cause, message }: NetworkError, url: string): string {
  const code = systemErrorCode(cause);
  const advice = ADVICE.find(([pattern]) => pattern.test(code))?.[1] ?? printable(message);
  return `Cannot reach the service at ${url}. ${advice} (${code})`;
}
