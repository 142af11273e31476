import type { Issue } from '../../domain/model/refusal.ts';
import type { AccountEntry } from './schema/account-schema.ts';
import type { PlaintextPolicy, ValidatedCredentials } from './validated-credentials.ts';

export interface WorkerTask {
  readonly file: string;
  readonly policy: PlaintextPolicy;
}

/** First message: everything but the accounts, or the issues. */
export type WorkerResult =
  | { readonly ok: true; readonly head: Omit<ValidatedCredentials, 'accounts'>; readonly accountCount: number }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Further messages, on request: accounts in order; empty at the end. */
export type AccountSlice = readonly AccountEntry[];

/**
 * Half of the 100 KB beyond which V8 moves received objects to old space, where garbage lingers
 * (ValueDeserializer); takes a fraction of a millisecond.
 */
export const ACCOUNTS_PER_SLICE = 100;
