import { parentPort, workerData } from 'node:worker_threads';
import type { ConfiguredAccount } from '../../domain/model/configured-account.ts';
import { CredentialLoadError, type Issue } from '../../domain/model/errors.ts';
import { type PlaintextPolicy, readValidatedCredentials, type ValidatedCredentials } from './validated-credentials.ts';

/*
 * Worker that reads a large credentials file, without master key. Sends accounts in slices on
 * request.
 */

/** What it reads. */
export interface WorkerTask {
  readonly file: string;
  readonly policy: PlaintextPolicy;
}

/** First message: everything but the accounts, or the issues. */
export type WorkerResult =
  | { readonly ok: true; readonly head: Omit<ValidatedCredentials, 'accounts'>; readonly accountCount: number }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Further messages, on request: accounts in order; empty at the end. */
export type AccountSlice = readonly ConfiguredAccount[];

/**
 * Half of the 100 KB beyond which V8 moves received objects to old space, where garbage lingers
 * (ValueDeserializer); takes a fraction of a millisecond.
 */
const ACCOUNTS_PER_SLICE = 100;

const { file, policy } = workerData as WorkerTask;
const port = parentPort;
if (port === null) throw new Error('This program only runs as a thread of the service.');

try {
  const { accounts, ...head } = await readValidatedCredentials(file, policy);
  let sent = 0;
  port.on('message', () => {
    const slice: AccountSlice = accounts.slice(sent, sent + ACCOUNTS_PER_SLICE);
    sent += slice.length;
    port.postMessage(slice);
    if (slice.length === 0) port.close();
  });
  port.postMessage({ ok: true, head, accountCount: accounts.length } satisfies WorkerResult);
} catch (error) {
  if (!(error instanceof CredentialLoadError)) throw error;
  port.postMessage({ ok: false, issues: error.issues } satisfies WorkerResult);
}
