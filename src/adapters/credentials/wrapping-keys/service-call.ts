import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import sodium from 'sodium-native';
import { systemErrorCode } from '../../files/system-error-code.ts';
import { LockedBuffer } from '../../vault/locked-buffer.ts';
import { copySecret } from '../../vault/secret-bytes.ts';
import { type HttpResponse, isCompleteResponse, MalformedResponseError, readHttpResponse } from './http-response.ts';

/** A request to a key service or metadata service. Text and bytes are sent as they are. */
export interface ServiceCall {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: URL;
  readonly headers: readonly (readonly [name: string, value: string | Uint8Array])[];
  /** Owned by the caller. */
  readonly body?: Uint8Array;
}

export interface CallLimits {
  /** For connecting, TLS, request and response together, milliseconds. */
  readonly timeoutMs: number;
  /** PEM certificates to trust instead of Node's. */
  readonly authorities?: Buffer | undefined;
}

/** No usable response. The message is a clause about "it", the service, without secrets. */
export class ServiceCallError extends Error {
  override readonly name = 'ServiceCallError';
  readonly kind: 'unreachable' | 'timeout' | 'tls' | 'malformed';

  constructor(kind: ServiceCallError['kind'], message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/**
 * Headers and body; responses with a key or credentials have under 4 KiB. Three locked pages with
 * the 16 bytes that libsodium adds: 64 KiB of locked memory suffice for a start.
 */
const MAX_RESPONSE_BYTES = 12 * 1024 - 16;
const READ_BYTES = 8 * 1024;

/**
 * OpenSSL's SSL_OP_CLEANSE_PLAINTEXT (ssl.h, SSL_CTX_set_options(3)), which Node does not name:
 * decrypted bytes are wiped from its buffer once read.
 */
const CLEANSE_PLAINTEXT = 0x2;

/**
 * Sends a request over its own connection, and lends the response in locked memory. Node's HTTP
 * client would leave the response in its parser's buffer; here every buffer is wiped. TLS 1.2 or
 * newer, always verified. Follows no redirect and uses no proxy.
 * @param use synchronous; its error rejects the promise
 * @throws ServiceCallError, MemoryLockError
 */
export async function callService<Result>(
  call: ServiceCall,
  limits: CallLimits,
  use: (response: HttpResponse) => Result,
): Promise<Result> {
  const received = new LockedBuffer(MAX_RESPONSE_BYTES);
  try {
    const length = await receive(call, limits, received);
    return received.useAndWipe((bytes) => {
      const response = readHttpResponse(bytes.subarray(0, length));
      if (response === null) throw new ServiceCallError('malformed', 'it closed the connection within its response');
      return use(response);
    });
  } catch (error) {
    if (error instanceof MalformedResponseError) throw new ServiceCallError('malformed', error.message, error);
    throw error;
  } finally {
    received.free();
  }
}

/** Resolves to the number of bytes in `received` when the response is complete or has ended. */
function receive(call: ServiceCall, limits: CallLimits, received: LockedBuffer): Promise<number> {
  return new Promise((resolve, reject) => {
    let length = 0;
    const chunk = Buffer.alloc(READ_BYTES);
    const onread = {
      buffer: chunk,
      callback: (count: number): boolean => {
        try {
          length = append(received, length, chunk.subarray(0, count));
          const isComplete = received.use((bytes) => isCompleteResponse(bytes.subarray(0, length)));
          if (isComplete) finish();
        } catch (error) {
          fail(error);
        }
        return true;
      },
    };
    const socket = connect(call.url, limits, onread);
    const timer = setTimeout(() => {
      fail(new ServiceCallError('timeout', `it did not respond within ${limits.timeoutMs} ms`));
    }, limits.timeoutMs);
    const close = (): void => {
      clearTimeout(timer);
      socket.destroy();
      sodium.sodium_memzero(chunk);
    };
    const finish = (): void => {
      close();
      resolve(length);
    };
    const fail = (error: unknown): void => {
      close();
      reject(error);
    };
    socket.on('error', (error) => fail(toCallError(error)));
    socket.on('end', finish);
    socket.on('close', finish);
    // Before the handshake, Node would copy the request.
    socket.once(call.url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      const request = serialize(call);
      socket.write(request, () => sodium.sodium_memzero(request));
    });
  });
}

function connect(
  url: URL,
  { authorities }: CallLimits,
  onread: { buffer: Buffer; callback: (count: number) => boolean },
): Socket {
  // The URL of an IPv6 address has brackets.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol !== 'https:') return connectPlain({ host, port: portOf(url, 80), onread });
  return connectTls({
    ...{ host, port: portOf(url, 443), onread },
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(authorities === undefined ? {} : { ca: authorities }),
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    secureOptions: CLEANSE_PLAINTEXT,
  });
}

function portOf({ port }: URL, fallback: number): number {
  return port === '' ? fallback : Number(port);
}

/** The request's bytes, to be wiped. */
function serialize({ method, url, headers, body }: ServiceCall): Buffer {
  const parts: Uint8Array[] = [Buffer.from(`${method} ${url.pathname}${url.search} HTTP/1.1\r\n`)];
  const all = [
    ['Host', url.host],
    ['Accept', 'application/json'],
    ['Connection', 'close'],
    ...headers,
    ...(body === undefined && method === 'GET' ? [] : [['Content-Length', String(body?.length ?? 0)] as const]),
  ] as const;
  for (const [name, value] of all) {
    parts.push(Buffer.from(`${name}: `), typeof value === 'string' ? Buffer.from(value) : value, Buffer.from('\r\n'));
  }
  parts.push(Buffer.from('\r\n'), body ?? Buffer.alloc(0));
  const request = Buffer.alloc(parts.reduce((sum, part) => sum + part.length, 0));
  let position = 0;
  for (const part of parts) {
    copySecret(part, request.subarray(position));
    position += part.length;
  }
  return request;
}

/** Moves a chunk into locked memory; returns the new length. */
function append(received: LockedBuffer, length: number, chunk: Buffer): number {
  try {
    if (length + chunk.length > MAX_RESPONSE_BYTES) {
      throw new ServiceCallError('malformed', `it sent more than ${MAX_RESPONSE_BYTES} bytes`);
    }
    return received.use((bytes) => length + copySecret(chunk, bytes.subarray(length)));
  } finally {
    sodium.sodium_memzero(chunk);
  }
}

function toCallError(error: Error): ServiceCallError {
  const code = systemErrorCode(error);
  const isTls = /CERT|SSL|TLS|SIGNATURE|ISSUER|EPROTO/.test(code);
  if (isTls) return new ServiceCallError('tls', `its TLS connection or certificate is not valid (${code})`, error);
  return new ServiceCallError('unreachable', `it cannot be reached (${code})`, error);
}
