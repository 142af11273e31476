import type { LoadReport, Reply } from '../load/load-process.ts';
import { type InstallationHistory, listKeys, matches } from './installation-history.ts';
import { findSigner, toItems } from './signature-proof.ts';

const MAX_ISSUES = 10;

/** Checks replies against the accounts at the time, and signatures with independent code. */
export class CheckedReplies {
  readonly #history: InstallationHistory;
  readonly #issues: string[] = [];
  readonly latencies: number[] = [];
  /** All signatures as text. */
  readonly signatures: string[] = [];
  /** Correct refusals, of disabled or missing accounts. */
  refusals = 0;
  calls = 0;
  issueCount = 0;
  dropped = 0;
  retries = 0;

  constructor(history: InstallationHistory) {
    this.#history = history;
  }

  /** The first issues, a line each. */
  get issues(): readonly string[] {
    return this.#issues;
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
    const items = toItems(reply).map((item) => {
      const keys = item.signature === null ? [] : listKeys(item.task.account, generations);
      const signer = item.signature === null ? undefined : findSigner(item.task, item.signature, keys);
      return { item, signer };
    });
    for (const { signature } of items.map(({ item }) => item)) {
      if (signature === null) this.refusals += 1;
      else this.signatures.push(signature);
    }
    // Later items of a batch see the same generation or a later one.
    let at = 0;
    const isInOrder = items.every(({ item, signer }) => {
      const next = generations.slice(at).findIndex((generation) => matches(item, signer, generation));
      at += Math.max(next, 0);
      return next !== -1;
    });
    const misnamed = items.find(({ item, signer }) => item.publicKey !== null && item.publicKey !== signer);
    if (!isInOrder) this.#addIssue(reply, 'does not fit the generations that were in force meanwhile, in their order');
    else if (misnamed !== undefined) this.#addIssue(reply, `names the public key ${misnamed.item.publicKey}`);
  }

  #addIssue({ status, body, tasks, sentAt, receivedAt }: Reply, what: string): void {
    this.issueCount += 1;
    if (this.#issues.length >= MAX_ISSUES) return;
    const accounts = tasks.map(({ account }) => account).join(' ');
    const at = `${new Date(sentAt).toISOString()}, ${receivedAt - sentAt} ms`;
    this.#issues.push(`${at}, account ${accounts}: ${status} ${body.slice(0, 300)} ${what}`);
  }
}
