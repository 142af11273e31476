import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AuditCheckpoint } from '../../../domain/model/audit-entry.ts';
import type { CheckpointTarget } from './checkpoint-copy.ts';

const TIMEOUT_MS = 5000;

/**
 * An HTTP endpoint that takes checkpoints as JSON, by POST over a connection for each. Any 2xx
 * status means that it has the checkpoint; the body of the response is not read. No redirects.
 */
export class CheckpointEndpoint implements CheckpointTarget {
  readonly setting = 'SIGNING_AUDIT_CHECKPOINT_URL';
  readonly place: string;
  readonly #url: URL;
  readonly #timeoutMs: number;

  /** @param timeoutMs for the whole exchange, milliseconds */
  constructor(url: URL, timeoutMs = TIMEOUT_MS) {
    this.place = url.host;
    this.#url = url;
    this.#timeoutMs = timeoutMs;
  }

  async save({ instanceId, seq, time, hash, sig }: AuditCheckpoint): Promise<void> {
    const status = await this.#post(JSON.stringify({ instanceId, seq, time, hash, sig }));
    if (status < 200 || status > 299) throw new Error(`${this.place} returned HTTP status ${status}`);
  }

  #post(body: string): Promise<number> {
    const request = this.#url.protocol === 'https:' ? requestHttps : requestHttp;
    const options = {
      method: 'POST',
      agent: false,
      signal: AbortSignal.timeout(this.#timeoutMs),
      headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
    } as const;
    return new Promise((resolve, reject) => {
      const exchange = request(this.#url, options, (response) => {
        resolve(response.statusCode ?? 0);
        response.destroy();
      });
      exchange.on('error', (error) => {
        const isLate = options.signal.aborted;
        reject(isLate ? new Error(`${this.place} did not respond within ${this.#timeoutMs} ms`) : error);
      });
      // Node closes the connection without an error after 101 (Switching Protocols).
      exchange.on('close', () => reject(new Error(`${this.place} closed the connection without a response`)));
      exchange.end(body);
    });
  }
}
