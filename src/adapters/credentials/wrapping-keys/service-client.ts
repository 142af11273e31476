import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { MasterKeyUnavailableError } from '../../../domain/model/errors.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import { MalformedSecretError } from '../../key-files/secret-text.ts';
import type { HttpResponse } from './http-response.ts';
import { JsonStringError } from './json-strings.ts';
import { callService, type ServiceCall, ServiceCallError } from './service-call.ts';

const MAX_ATTEMPTS = 3;
/** Doubled after each attempt, milliseconds. */
const FIRST_PAUSE_MS = 200;
const RETRIED: readonly number[] = [429, 500, 502, 503, 504];

export interface ServiceClientOptions {
  /** In messages: `AWS KMS`. */
  readonly label: string;
  /** What to check if the service cannot be reached, as the end of a sentence. */
  readonly addressAdvice: string;
  /** For all attempts together, milliseconds. */
  readonly timeoutMs: number;
  /** PEM file of the certificates to trust; null: Node's. */
  readonly caFile: string | null;
  /** Whether to repeat a request after a response whose status does not tell it. */
  readonly isPassing?: (response: HttpResponse) => boolean;
}

/** Calls a service, with retries, and explains failures to operators. */
export class ServiceClient {
  readonly #options: ServiceClientOptions;

  constructor(options: ServiceClientOptions) {
    this.#options = options;
  }

  /**
   * Sends a request up to three times while the service is unreachable, overloaded or failing.
   * @param use receives the last response, whatever its status
   * @throws MasterKeyUnavailableError, MemoryLockError
   */
  async call<Result>(call: ServiceCall, use: (response: HttpResponse) => Result): Promise<Result> {
    const { timeoutMs, caFile, isPassing = () => false } = this.#options;
    const authorities = call.url.protocol === 'https:' && caFile !== null ? this.#readAuthorities(caFile) : undefined;
    const deadline = performance.now() + timeoutMs;
    for (let attempt = 1; ; attempt += 1) {
      const left = Math.max(1, Math.ceil(deadline - performance.now()));
      const pause = FIRST_PAUSE_MS * 2 ** (attempt - 1);
      const isLast = attempt === MAX_ATTEMPTS || left <= pause;
      try {
        const result = await callService(call, { timeoutMs: left, authorities }, (response) =>
          !isLast && (RETRIED.includes(response.status) || isPassing(response)) ? null : { value: use(response) },
        );
        if (result !== null) return result.value;
      } catch (error) {
        if (isLast || !isUnreachable(error)) throw this.#explain(call.url, error);
      }
      await delay(pause);
    }
  }

  /** @param problem completes "AWS KMS at https://…: " */
  failure(url: URL, problem: string, cause?: unknown): MasterKeyUnavailableError {
    return new MasterKeyUnavailableError(`${this.#options.label} at ${url.origin}: ${problem}`, { cause });
  }

  #readAuthorities(file: string): Buffer {
    try {
      return readFileSync(file);
    } catch (error) {
      throw new MasterKeyUnavailableError(
        `SIGNING_MASTER_KEY_CA_FILE: ${file} cannot be read (${systemErrorCode(error)}); check the path`,
        { cause: error },
      );
    }
  }

  #explain(url: URL, error: unknown): unknown {
    if (error instanceof JsonStringError || error instanceof MalformedSecretError) {
      return this.failure(url, `unexpected response: ${error.message}; ${this.#options.addressAdvice}`, error);
    }
    if (!(error instanceof ServiceCallError)) return error;
    const { kind, message } = error;
    if (kind === 'timeout') {
      const { timeoutMs, addressAdvice } = this.#options;
      const problem = `it did not respond within ${timeoutMs} ms (SIGNING_MASTER_KEY_TIMEOUT_MS)`;
      return this.failure(url, `${problem}; ${addressAdvice}`, error);
    }
    if (kind === 'tls') {
      return this.failure(url, `${message}; set SIGNING_MASTER_KEY_CA_FILE to the certificate of its authority`, error);
    }
    return this.failure(url, `${message}; ${this.#options.addressAdvice}`, error);
  }
}

function isUnreachable(error: unknown): boolean {
  return error instanceof ServiceCallError && error.kind === 'unreachable';
}
