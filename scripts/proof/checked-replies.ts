import type { LoadReport, Reply } from '../load/load-process.ts';
import { fits, type InstallationHistory, keysOf } from './installation-history.ts';
import { itemsOf, signerOf } from './signature-proof.ts';

const SHOWN_FAULTS = 10;

/** Checks every reply against what the accounts were at the time, and every signature by other code than the service's. */
export class CheckedReplies {
  readonly #history: InstallationHistory;
  readonly #faults: string[] = [];
  readonly latencies: number[] = [];
  /** Each signature that came, as its text. */
  readonly signatures: string[] = [];
  /** Refusals that were right: of accounts that were disabled or not there. */
  refusals = 0;
  calls = 0;
  faultCount = 0;
  dropped = 0;
  retries = 0;

  constructor(history: InstallationHistory) {
    this.#history = history;
  }

  /** The first faults, as lines for people. */
  get faults(): readonly string[] {
    return this.#faults;
  }

  add({ latencies, replies, dropped, retries }: LoadReport): void {
    this.latencies.push(...latencies.map(([, ms]) => ms));
    this.dropped += dropped;
    this.retries += retries;
    for (const reply of replies) this.#check(reply);
  }

  #check(reply: Reply): void {
    this.calls += 1;
    const generations = this.#history.possible(reply.sentAt, reply.receivedAt);
    const items = itemsOf(reply).map((item) => {
      const keys = item.signature === null ? [] : keysOf(item.wish.account, generations);
      const signer = item.signature === null ? undefined : signerOf(item.wish, item.signature, keys);
      return { item, signer };
    });
    for (const { signature } of items.map(({ item }) => item)) {
      if (signature === null) this.refusals += 1;
      else this.signatures.push(signature);
    }
    // An item sees one generation; later items of a batch see the same or a later one.
    let at = 0;
    const isInOrder = items.every(({ item, signer }) => {
      const next = generations.slice(at).findIndex((generation) => fits(item, signer, generation));
      at += Math.max(next, 0);
      return next !== -1;
    });
    const misnamed = items.find(({ item, signer }) => item.publicKey !== null && item.publicKey !== signer);
    if (!isInOrder) this.#tell(reply, 'does not fit the generations that were in force meanwhile, in their order');
    else if (misnamed !== undefined) this.#tell(reply, `names the public key ${misnamed.item.publicKey}`);
  }

  #tell({ status, body, wishes, sentAt, receivedAt }: Reply, what: string): void {
    this.faultCount += 1;
    if (this.#faults.length >= SHOWN_FAULTS) return;
    const accounts = wishes.map(({ account }) => account).join(' ');
    const at = `${new Date(sentAt).toISOString()}, ${receivedAt - sentAt} ms`;
    this.#faults.push(`${at}, account ${accounts}: ${status} ${body.slice(0, 300)} ${what}`);
  }
}
