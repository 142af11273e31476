import type { Request } from 'autocannon';
import { type Reply, type SigningTask, toData } from '../load/load-process.ts';
import { findSigner, toItems } from '../proof/signature-proof.ts';
import { accountName } from '../service/account-names.ts';
import type { SealedAccount } from '../service/sealed-accounts.ts';
import type { Round } from './rounds.ts';
import { runLoad, type Slice } from './run-load.ts';

/** A service, or the bare server. */
export interface Target {
  readonly url: string;
  readonly pid: number;
}

/** The load. */
export interface Work {
  readonly algorithm: 'ed25519' | 'eip191';
  /** Items of a batch; null: single requests. */
  readonly batch: number | null;
  /** To each target; each waits for its response. */
  readonly connections: number;
  /** Bytes signed; absent: as short as the orders are. */
  readonly payloadBytes?: number;
}

/** Distinct requests of all connections. */
const REQUESTS = { single: 1024, batch: 40 };
/** Verified items of a response; ethers takes a millisecond for each. */
const VERIFIED_ITEMS = 5;

let calls = 0;

/**
 * Loads targets with autocannon and measures a slice.
 * @param accounts whose signatures are verified; null if the target does not sign
 * @throws Error for a failed request or an invalid signature
 */
export async function drive(
  targets: readonly Target[],
  work: Work,
  slice: Slice,
  accounts: readonly SealedAccount[] | null,
): Promise<Round> {
  const samples: Reply[] = [];
  const round = await runLoad(
    targets.map(({ url, pid }) => ({ url, pids: [pid] })),
    {
      connections: work.connections,
      signaturesPerRequest: work.batch ?? 1,
      createRequests: () => createRequests(work, samples),
      // Batches report failed items with status 200.
      ...(work.batch !== null && accounts !== null && { isSuccess: (body) => body.includes('"failed":0') }),
    },
    slice,
  );
  // A server that does not sign needs less.
  if (accounts === null) return { ...round, memoryBytes: null };
  verify(samples, accounts);
  return round;
}

/** Distinct requests that a connection repeats, if all connections share `REQUESTS`. */
export function countRequests({ batch, connections }: Pick<Work, 'batch' | 'connections'>): number {
  return Math.ceil((batch === null ? REQUESTS.single : REQUESTS.batch) / connections);
}

/** Distinct requests of a connection; keeps the responses to the first one as samples. */
function createRequests(work: Work, samples: Reply[]): Request[] {
  const { batch } = work;
  return Array.from({ length: countRequests(work) }, (_, index) => {
    const tasks = Array.from({ length: batch ?? 1 }, () => nextTask(work));
    const sentAt = Date.now();
    return {
      ...toRequest(tasks, batch !== null),
      ...(index === 0 && {
        onResponse: (status: number, body: string) => {
          samples.push({ tasks, isBatch: batch !== null, status, body, sentAt, receivedAt: sentAt });
        },
      }),
    };
  });
}

function nextTask({ algorithm, payloadBytes }: Work): SigningTask {
  calls += 1;
  // Alternates between accounts of both algorithms.
  const account = 2 * (calls % (BENCH_ACCOUNTS / 2));
  const isFitting = accountName(account).algorithm === algorithm;
  return { account: isFitting ? account : account + 1, call: calls, ...(payloadBytes && { payloadBytes }) };
}

/** Accounts of the installation. */
export const BENCH_ACCOUNTS = 1000;

/** A request in autocannon's form. */
export function toRequest(tasks: readonly SigningTask[], isBatch: boolean): Request & { readonly body: string } {
  const items = tasks.map((task) => {
    const { platformId, accountId } = accountName(task.account);
    return { ...(isBatch && { requestId: String(task.call) }), platformId, accountId, data: toData(task) };
  });
  return {
    method: 'POST',
    path: isBatch ? '/api/v1/sign/batch' : '/api/v1/sign',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(isBatch ? { requests: items } : items[0]),
  };
}

function verify(samples: readonly Reply[], accounts: readonly SealedAccount[]): void {
  const items = samples.flatMap((sample) => toItems(sample).slice(0, VERIFIED_ITEMS));
  if (items.length === 0) throw new Error('There was no response to verify.');
  for (const { task, signature, errorCode } of items) {
    const publicKey = accounts[task.account]?.publicKey ?? '';
    if (signature !== null && findSigner(task, signature, [publicKey]) === publicKey) continue;
    throw new Error(`Account ${task.account}, call ${task.call}: ${errorCode ?? 'a signature that is not its own'}`);
  }
}
