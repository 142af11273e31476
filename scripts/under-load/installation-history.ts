import type { Reply } from '../load/load.ts';
import { findSigner, type Item, type SigningRequest, toItems } from '../load/signing-requests.ts';

/** Accounts of a credentials file by number: the public key if it may sign; missing: none. */
export type Generation = ReadonlyMap<number, { readonly publicKey: string } | 'disabled'>;

interface Period {
  readonly generation: Generation;
  /** `Date.now()` before the file was replaced: it may be in force from then on. */
  readonly from: number;
  /** `Date.now()` after a later one came into force; later requests cannot see this one. */
  until: number;
}

/** What is wrong with replies, and what they contain. */
export interface CheckedReplies {
  /** A line for each wrong or failed call. */
  readonly issues: readonly string[];
  readonly signatures: readonly string[];
  /** Correct refusals, of disabled or missing accounts. */
  readonly refusals: number;
}

/** Generations of accounts and when they can be in force, to check replies by. */
export class InstallationHistory {
  readonly #periods: Period[] = [];

  /** Call before replacing the file. */
  begin(generation: Generation): void {
    this.#periods.push({ generation, from: Date.now(), until: Number.POSITIVE_INFINITY });
  }

  /** Call when the last one is in force. */
  isInForce(): void {
    const until = Date.now();
    for (const period of this.#periods.slice(0, -1)) period.until = Math.min(period.until, until);
  }

  /** Checks replies against the accounts at the time, and signatures with independent code. */
  check(replies: readonly Reply<SigningRequest>[]): CheckedReplies {
    const items = replies.flatMap(toItems);
    const signatures = items.flatMap(({ signature }) => signature ?? []);
    const issues = replies.flatMap((reply) => {
      const issue = this.#findIssue(reply);
      if (issue === null) return [];
      return `${new Date(reply.sentAt).toISOString()} ${issue}: ${reply.status} ${reply.body.slice(0, 300)}`;
    });
    return { issues, signatures, refusals: items.length - signatures.length };
  }

  #findIssue(reply: Reply<SigningRequest>): string | null {
    const generations = this.#possible(reply);
    const signed = toItems(reply).map((item) => ({ item, signer: signerOf(item, generations) }));
    // Later items of a batch see the same generation or a later one.
    let at = 0;
    for (const { item, signer } of signed) {
      const next = generations.slice(at).findIndex((generation) => matches(item, signer, generation));
      if (next === -1) return `account ${item.task.account} does not fit the generations of its time, in their order`;
      at += next;
      if (item.publicKey !== null && item.publicKey !== signer) return `names public key ${item.publicKey}`;
    }
    return null;
  }

  /** Generations that may have served a call. */
  #possible({ sentAt, ms }: Reply): readonly Generation[] {
    return this.#periods
      .filter(({ from, until }) => from <= Math.ceil(sentAt + ms) && sentAt <= until)
      .map(({ generation }) => generation);
  }
}

/** Public key of an item's signature, among those that its account had. */
function signerOf({ task, signature }: Item, generations: readonly Generation[]): string | undefined {
  if (signature === null) return undefined;
  const states = generations.map((generation) => generation.get(task.account));
  const keys = new Set(states.flatMap((state) => (typeof state === 'object' ? [state.publicKey] : [])));
  return findSigner(task, signature, [...keys]);
}

function matches({ task, errorCode }: Item, signer: string | undefined, generation: Generation): boolean {
  const state = generation.get(task.account);
  if (state === undefined) return errorCode === 'ACCOUNT_NOT_FOUND';
  if (state === 'disabled') return errorCode === 'ACCOUNT_INACTIVE';
  return signer === state.publicKey;
}
