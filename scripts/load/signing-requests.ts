import { computeAddress, verifyMessage } from 'ethers';
import { isEd25519Signature } from '../../tests/contracts/independent-verification.ts';
import { signatureBytes } from '../../tests/contracts/signature-bytes.ts';
import { accountName } from '../../tests/harness/generated-accounts.ts';
import type { PostRequest } from './http-connection.ts';
import type { Reply } from './load.ts';

/** A signature by a generated account over data of its own. */
export interface SigningTask {
  readonly account: number;
  readonly data: { readonly [field: string]: string | number };
}

/** A single signature, or a batch. */
export interface SigningRequest extends PostRequest {
  readonly tasks: readonly SigningTask[];
  readonly isBatch: boolean;
}

/** A signature, or an error code. */
export interface Item {
  readonly task: SigningTask;
  readonly signature: string | null;
  /** Null in batches, which omit it. */
  readonly publicKey: string | null;
  /** Null with a signature; `UNREADABLE` for an invalid body or another item's result. */
  readonly errorCode: string | null;
}

let calls = 0;

/** @param payloadBytes to pad the signed text to */
export function signingTask(account: number, payloadBytes?: number): SigningTask {
  calls += 1;
  const order = { amount: '1.50', call: calls, market: 'SOL-USDC', side: 'buy' };
  if (payloadBytes === undefined) return { account, data: order };
  const note = 'n'.repeat(payloadBytes - JSON.stringify({ note: '', ...order }).length);
  return { account, data: { amount: '1.50', call: calls, market: 'SOL-USDC', note, side: 'buy' } };
}

/** A request with one task. */
export function singleRequest(task: SigningTask): SigningRequest {
  return { path: '/api/v1/sign', body: JSON.stringify(toItem(task)), tasks: [task], isBatch: false };
}

/** A request with several tasks. */
export function batchRequest(tasks: readonly SigningTask[]): SigningRequest {
  const requests = tasks.map((task) => ({ requestId: String(task.data['call']), ...toItem(task) }));
  return { path: '/api/v1/sign/batch', body: JSON.stringify({ requests }), tasks, isBatch: true };
}

function toItem({ account, data }: SigningTask): object {
  const { platformId, accountId } = accountName(account);
  // In another order than it is signed.
  return { platformId, accountId, data: Object.fromEntries(Object.entries(data).toReversed()) };
}

/** Requests of random accounts. @param batches one batch in every so many requests */
export function randomRequests(
  count: number,
  accounts: number,
  batches?: { readonly every: number; readonly size: number },
): readonly SigningRequest[] {
  const task = () => signingTask(Math.floor(Math.random() * accounts));
  return Array.from({ length: count }, (_, index) =>
    batches !== undefined && index % batches.every === 0
      ? batchRequest(Array.from({ length: batches.size }, task))
      : singleRequest(task()),
  );
}

/** Results of a call, in order. */
export function toItems({ request, body }: Reply<SigningRequest>): readonly Item[] {
  const { data, error } = parse(body);
  return request.tasks.map((task, index) => {
    const result = request.isBatch ? data?.results?.[index] : data;
    const isOwn = result !== undefined && (!request.isBatch || result.requestId === String(task.data['call']));
    const signature = isOwn ? (result.signature ?? null) : null;
    const errorCode = signature === null ? (result?.error?.code ?? error?.code ?? 'UNREADABLE') : null;
    return { task, signature, publicKey: result?.publicKey ?? null, errorCode };
  });
}

// biome-ignore lint/suspicious/noExplicitAny: responses vary; what is missing is no signature.
function parse(body: string): any {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}

/**
 * Finds the public key of a signature with OpenSSL or ethers, without code of the service;
 * undefined: none of them.
 * @param publicKeys as the API formats them
 */
export function findSigner(task: SigningTask, signature: string, publicKeys: readonly string[]): string | undefined {
  // The members are in the order of RFC 8785.
  const text = Buffer.from(JSON.stringify(task.data));
  try {
    if (accountName(task.account).algorithm === 'ed25519') {
      const bytes = signatureBytes(signature, 'base58');
      return publicKeys.find((publicKey) => isEd25519Signature(publicKey, text, bytes));
    }
    const address = verifyMessage(text, signature);
    return publicKeys.find((publicKey) => computeAddress(publicKey) === address);
  } catch {
    // Malformed signatures verify under no key.
    return undefined;
  }
}
