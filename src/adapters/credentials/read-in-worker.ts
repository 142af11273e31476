import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { CredentialLoadError } from '../../domain/model/errors.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import type { AccountEntry } from './schema/account-schema.ts';
import { readValidatedCredentials, type ValidatedCredentials } from './validated-credentials.ts';
import type { AccountSlice, WorkerResult, WorkerTask } from './worker-messages.ts';

interface PendingReceive {
  readonly resolve: (message: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Receives a thread's messages one by one. Its end rejects the pending or next receive; racing a
 * promise would retain every message.
 */
class WorkerChannel {
  readonly #thread: Worker;
  readonly #messages: unknown[] = [];
  #pending: PendingReceive | null = null;
  #end: { readonly reason: unknown } | null = null;

  constructor(thread: Worker) {
    this.#thread = thread;
    thread.on('message', (message) => this.#receive(message));
    thread.once('error', (error) => this.#ended(error));
    thread.once('messageerror', (error) => this.#ended(error));
    thread.once('exit', () => this.#ended(new Error('The credentials reader thread has ended.')));
  }

  /** The next message; rejects with what ended the thread. */
  receive<Message>(): Promise<Message> {
    const message = new Promise<unknown>((resolve, reject) => {
      if (this.#messages.length > 0) resolve(this.#messages.shift());
      else if (this.#end !== null) reject(this.#end.reason);
      else this.#pending = { resolve, reject };
    });
    return message as Promise<Message>;
  }

  requestMore(): void {
    this.#thread.postMessage('more');
  }

  /** Idempotent. */
  close(): void {
    void this.#thread.terminate();
  }

  #receive(message: unknown): void {
    const pending = this.#takePending();
    if (pending === null) this.#messages.push(message);
    else pending.resolve(message);
  }

  #ended(reason: unknown): void {
    this.#end ??= { reason };
    this.#takePending()?.reject(reason);
  }

  #takePending(): PendingReceive | null {
    const pending = this.#pending;
    this.#pending = null;
    return pending;
  }
}

/** Larger files, over about 500 accounts, are read in a worker: smaller ones take milliseconds. */
export const LARGE_FILE_BYTES = 256 * 1024;

/** TypeScript or compiled. */
const PROGRAM = new URL(`./credentials-worker${extname(import.meta.url)}`, import.meta.url);

/** A valid credentials file whose accounts arrive in slices. */
export interface CredentialsReader extends Omit<ValidatedCredentials, 'accounts'> {
  /** In order; iterate once. */
  readonly accounts: AsyncIterable<readonly AccountEntry[]>;

  /** Ends the reading. Idempotent. */
  close(): void;
}

/**
 * {@link readValidatedCredentials} that reads large files in a worker, without blocking requests.
 * @throws CredentialLoadError
 */
export async function readInWorker({ file, policy }: WorkerTask): Promise<CredentialsReader> {
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

async function* inOneSlice(accounts: readonly AccountEntry[]): AsyncGenerator<readonly AccountEntry[]> {
  yield accounts;
}

async function readInThread(task: WorkerTask): Promise<CredentialsReader> {
  const thread = new WorkerChannel(new Worker(PROGRAM, { workerData: task, env: {} }));
  try {
    const result: WorkerResult = await thread.receive();
    if (!result.ok) throw new CredentialLoadError(task.file, result.issues);
    const accounts = receiveAccounts(task.file, thread, result.accountCount);
    return { ...result.head, accounts, close: () => thread.close() };
  } catch (error) {
    thread.close();
    throw toLoadError(task.file, error);
  }
}

/** @param count expected accounts: a lost one would look removed */
async function* receiveAccounts(file: string, thread: WorkerChannel, count: number): AsyncGenerator<AccountSlice> {
  let received = 0;
  thread.requestMore();
  for (;;) {
    // Prefetch while this one is used.
    thread.requestMore();
    const slice = await nextSlice(file, thread);
    if (slice.length === 0) break;
    received += slice.length;
    yield slice;
  }
  if (received !== count) throw new Error(`Of ${count} accounts, ${received} came from the reader thread.`);
}

async function nextSlice(file: string, thread: WorkerChannel): Promise<AccountSlice> {
  try {
    return await thread.receive();
  } catch (error) {
    throw toLoadError(file, error);
  }
}

function toLoadError(file: string, error: unknown): unknown {
  if (systemErrorCode(error) !== 'ERR_WORKER_OUT_OF_MEMORY') return error;
  const message =
    'needs more memory than a thread of this process may use; start node with a larger --max-old-space-size';
  return new CredentialLoadError(file, [{ path: '', message }], error);
}
