import { parentPort, workerData } from 'node:worker_threads';
import { CredentialLoadError } from '../../domain/model/errors.ts';
import { readValidatedCredentials } from './validated-credentials.ts';
import { ACCOUNTS_PER_SLICE, type AccountSlice, type WorkerResult, type WorkerTask } from './worker-messages.ts';

/*
 * Worker that reads a large credentials file, without master key. Sends accounts in slices on
 * request.
 */

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
