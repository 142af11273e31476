import { parentPort, workerData } from 'node:worker_threads';
import { CredentialLoadError } from '../../../domain/model/errors.ts';
import { readCheckedCredentials } from './checked-credentials.ts';
import {
  ACCOUNTS_PER_SLICE,
  type AccountSlice,
  type ReadingResult,
  type ReadingTask,
} from './reading-thread-messages.ts';

/*
 * The program of a thread that reads a large credentials file aside: requests are served meanwhile. It opens no key and holds no master key. The accounts are sent a slice at
 * a time, each when it is asked for.
 */

const { file, policy } = workerData as ReadingTask;
const port = parentPort;
if (port === null) throw new Error('This program runs as a thread of the service.');

try {
  const { accounts, ...head } = await readCheckedCredentials(file, policy);
  let sent = 0;
  port.on('message', () => {
    const slice: AccountSlice = accounts.slice(sent, sent + ACCOUNTS_PER_SLICE);
    sent += slice.length;
    port.postMessage(slice);
    if (slice.length === 0) port.close();
  });
  port.postMessage({ ok: true, head, accountCount: accounts.length } satisfies ReadingResult);
} catch (error) {
  if (!(error instanceof CredentialLoadError)) throw error;
  port.postMessage({ ok: false, issues: error.issues } satisfies ReadingResult);
}
