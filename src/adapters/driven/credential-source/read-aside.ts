import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { CredentialLoadError } from '../../../domain/model/errors.ts';
import type { AccountEntry } from './account-schema.ts';
import { AnsweringThread } from './answering-thread.ts';
import { type CheckedCredentials, readCheckedCredentials } from './checked-credentials.ts';
import type { AccountSlice, ReadingResult, ReadingTask } from './reading-thread-messages.ts';

/** A file of so many bytes, some 500 accounts, takes milliseconds to read and to check; a larger one is read by a thread of its own. */
export const LARGE_FILE_BYTES = 256 * 1024;

/** The same program as TypeScript and as it is built. */
const PROGRAM = new URL(`./reading-thread${extname(import.meta.url)}`, import.meta.url);

/** A credentials file in which nothing is wrong but, perhaps, the keys; its accounts are received as they are asked for. */
export interface CredentialsReader extends Omit<CheckedCredentials, 'accounts'> {
  /** In their order, some at a time; to be gone through once. */
  readonly accounts: AsyncIterable<readonly AccountEntry[]>;

  /** Ends the reading. Safe to call twice. */
  close(): void;
}

/**
 * Reads and checks a credentials file as `readCheckedCredentials` does, without holding up requests: a large one is read aside, in a thread whose memory is given back when it
 * has ended.
 * @throws CredentialLoadError that names the first 20 faults, and no value from the file but short
 * ids of accounts
 */
export async function readAside({ file, policy }: ReadingTask): Promise<CredentialsReader> {
  if (await isLarge(file)) return readInThread({ file, policy });
  const { accounts, ...head } = await readCheckedCredentials(file, policy);
  return { ...head, accounts: inOneSlice(accounts), close: () => undefined };
}

async function isLarge(file: string): Promise<boolean> {
  try {
    return (await stat(file)).size > LARGE_FILE_BYTES;
  } catch {
    // Whoever reads it says what is wrong.
    return false;
  }
}

async function* inOneSlice(accounts: readonly AccountEntry[]): AsyncGenerator<readonly AccountEntry[]> {
  yield accounts;
}

async function readInThread(task: ReadingTask): Promise<CredentialsReader> {
  const thread = new AnsweringThread(new Worker(PROGRAM, { workerData: task, env: {} }));
  try {
    const result: ReadingResult = await thread.answer();
    if (!result.ok) throw new CredentialLoadError(task.file, result.issues);
    const accounts = receiveAccounts(task.file, thread, result.accountCount);
    return { ...result.head, accounts, close: () => thread.close() };
  } catch (error) {
    thread.close();
    throw asLoadError(task.file, error);
  }
}

/** @param count how many there are: an account that got lost on its way would be taken for one that was taken away */
async function* receiveAccounts(file: string, thread: AnsweringThread, count: number): AsyncGenerator<AccountSlice> {
  let received = 0;
  thread.ask();
  for (;;) {
    // The next one comes while this one is made use of.
    thread.ask();
    const slice = await nextSlice(file, thread);
    if (slice.length === 0) break;
    received += slice.length;
    yield slice;
  }
  if (received !== count)
    throw new Error(`Of ${count} accounts, ${received} came from the thread that reads the file.`);
}

async function nextSlice(file: string, thread: AnsweringThread): Promise<AccountSlice> {
  try {
    return await thread.answer();
  } catch (error) {
    throw asLoadError(file, error);
  }
}

function asLoadError(file: string, error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') return error;
  const message =
    'needs more memory to be read than a thread of this process may have; start node with a larger --max-old-space-size';
  return new CredentialLoadError(file, [{ path: '', message }], error);
}
