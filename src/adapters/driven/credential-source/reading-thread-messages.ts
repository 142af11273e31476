import type { Issue } from '../../../domain/model/issue.ts';
import type { AccountEntry } from './account-schema.ts';
import type { CheckedCredentials, PlaintextPolicy } from './checked-credentials.ts';

/** What the thread that reads a credentials file is given. */
export interface ReadingTask {
  readonly file: string;
  readonly policy: PlaintextPolicy;
}

/** What the thread sends first: what it read but the accounts, or what is wrong. */
export type ReadingResult =
  | { readonly ok: true; readonly head: Omit<CheckedCredentials, 'accounts'>; readonly accountCount: number }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** What it sends each time it is asked for more: accounts in their order; none when there are no more. */
export type AccountSlice = readonly AccountEntry[];

/**
 * Accounts of one slice: a fraction of a millisecond of the event loop's time to take them over. V8 puts what it takes over among the objects that live long, where garbage stays for
 * long, when a message has more than 100 KB (ValueDeserializer); this is half of that.
 */
export const ACCOUNTS_PER_SLICE = 100;
