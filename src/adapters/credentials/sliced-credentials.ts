import { on } from 'node:events';
import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { ConfiguredAccount } from '../../domain/model/configured-account.ts';
import { CredentialLoadError } from '../../domain/model/errors.ts';
import { programModule } from '../../program/program-file.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import type { AccountSlice, WorkerResult, WorkerTask } from './credentials-worker.ts';
import { readValidatedCredentials, type ValidatedCredentials } from './validated-credentials.ts';

/**
 * Larger files, over about 500 accounts, are read in a worker: parsing alone would block requests
 * for longer than a signature may take.
 */
export const LARGE_FILE_BYTES = 256 * 1024;

const PROGRAM = programModule('adapters/credentials/credentials-worker');

/** A valid credentials file whose accounts arrive in slices. */
export interface CredentialsReader extends Omit<ValidatedCredentials, 'accounts'> {
  /** In order; iterate once. */
  readonly accounts: AsyncIterable<readonly ConfiguredAccount[]>;

  /** Ends the reading. Idempotent. */
  close(): void;
}

/**
 * {@link readValidatedCredentials} that reads large files in a worker, without blocking requests.
 * @throws CredentialLoadError
 */
export async function readSliced({ file, policy }: WorkerTask): Promise<CredentialsReader> {
  if (await isLarge(file)) return readInThread({ file, policy });
  const { accounts, ...head } = await readValidatedCredentials(file, policy);
  return { ...head, accounts: inOneSlice(accounts), close: () => undefined };
}

async function isLarge(file: string): Promise<boolean> {
  try {
    return (await stat(file)).size > LARGE_FILE_BYTES;
  } catch {
    // Reading it reports the problem.
    return false;
  }
}

async function* inOneSlice(accounts: readonly ConfiguredAccount[]): AsyncGenerator<readonly ConfiguredAccount[]> {
  yield accounts;
}

async function readInThread(task: WorkerTask): Promise<CredentialsReader> {
  const worker = new Worker(PROGRAM, { workerData: task, env: {} });
  const close = () => void worker.terminate();
  // Ends with the thread; an error of the thread is thrown.
  const messages = on(worker, 'message', { close: ['exit'] });
  const receive = async <Message>(): Promise<Message> => {
    try {
      const { value, done } = await messages.next();
      if (done !== true) return value[0];
      throw new Error('The credentials reader thread has ended.');
    } catch (error) {
      throw toLoadError(task.file, error);
    }
  };
  try {
    const result = await receive<WorkerResult>();
    if (!result.ok) throw new CredentialLoadError(task.file, result.issues);
    return { ...result.head, accounts: receiveAccounts(worker, receive<AccountSlice>, result.accountCount), close };
  } catch (error) {
    close();
    throw error;
  }
}

/** @param count expected accounts: a lost one would look removed */
async function* receiveAccounts(
  worker: Worker,
  receive: () => Promise<AccountSlice>,
  count: number,
): AsyncGenerator<AccountSlice> {
  let received = 0;
  worker.postMessage('more');
  for (;;) {
    // Prefetch while this one is used.
    worker.postMessage('more');
    const slice = await receive();
    if (slice.length === 0) break;
    received += slice.length;
    yield slice;
  }
  if (received !== count) throw new Error(`Of ${count} accounts, ${received} came from the reader thread.`);
}

function toLoadError(file: string, error: unknown): unknown {
  if (systemErrorCode(error) !== 'ERR_WORKER_OUT_OF_MEMORY') return error;
  const message =
    'needs more memory than a thread of this process may use; start node with a larger --max-old-space-size';
  return new CredentialLoadError(file, [{ path: '', message }], error);
}
