import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditTail } from '../../src/adapters/audit/tail/audit-tail.ts';
import type { FollowerEvent, FollowRequest } from '../../src/domain/model/audit-entry.ts';

const TIMEOUT_MS = 15_000;

/** Follows in the background and records all events. */
export class FollowedEvents {
  readonly events: FollowerEvent[] = [];
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  constructor(tail: AuditTail, request: Partial<FollowRequest> & { readonly file: string }) {
    const whole = { from: { lines: 10 }, isWanted: null, follow: true, signal: this.#stop.signal, ...request };
    this.#ended = this.#run(tail, whole);
    // `until` and `ended` report the error; until then it must not be unhandled.
    this.#ended.catch(() => undefined);
  }

  get lines(): readonly string[] {
    return this.events.flatMap((event) => (event.kind === 'record' ? [event.line] : []));
  }

  get notices(): readonly string[] {
    return this.events.flatMap((event) => (event.kind === 'notice' ? [event.text] : []));
  }

  /** Waits for this many records or notices. */
  async until(done: { readonly records?: number; readonly notices?: number }): Promise<void> {
    const { records = 0, notices = 0 } = done;
    for (let waited = 0; this.lines.length < records || this.notices.length < notices; waited += 10) {
      if (waited > TIMEOUT_MS) {
        throw new Error(`${this.lines.length} of ${records} records, ${this.notices.length} of ${notices} notices`);
      }
      await sleep(10);
    }
  }

  /** Waits for a tail that ends by itself. */
  ended(): Promise<void> {
    return this.#ended;
  }

  /** Stops it and waits for its end. */
  stop(): Promise<void> {
    this.#stop.abort();
    return this.#ended;
  }

  async #run(tail: AuditTail, request: FollowRequest): Promise<void> {
    for await (const event of tail.follow(request)) this.events.push(event);
  }
}
