import canonicalize from 'canonicalize';
import { computeAddress, verifyMessage } from 'ethers';
import { isEd25519Signature } from '../../tests/contracts/independent-verification.ts';
import { signatureBytes } from '../../tests/contracts/signature-bytes.ts';
import { type Reply, type SigningTask, toData } from '../load/load-process.ts';
import { accountName } from '../service/account-names.ts';

/** A signature or an error. */
export interface Item {
  readonly task: SigningTask;
  readonly signature: string | null;
  /** Null in batches, which omit it. */
  readonly publicKey: string | null;
  /** Null with a signature. */
  readonly errorCode: string | null;
}

interface ResultBody {
  readonly requestId?: string;
  readonly signature?: string;
  readonly publicKey?: string;
  readonly error?: { readonly code: string };
}

interface ResponseBody {
  readonly data?: ResultBody & { readonly results?: readonly ResultBody[] };
  readonly error?: { readonly code: string };
}

const addresses = new Map<string, string>();

/** Results of a call, in order; `UNREADABLE` for an invalid body or another item's result. */
export function toItems({ tasks, isBatch, body }: Reply): readonly Item[] {
  const { data, error } = parse(body);
  return tasks.map((task, index) => {
    const result = isBatch ? data?.results?.[index] : data;
    const isOwn = result !== undefined && (!isBatch || result.requestId === String(task.call));
    const signature = isOwn ? (result.signature ?? null) : null;
    const errorCode = signature === null ? (result?.error?.code ?? error?.code ?? 'UNREADABLE') : null;
    return { task, signature, publicKey: result?.publicKey ?? null, errorCode };
  });
}

/**
 * Finds the public key of a signature with OpenSSL or ethers and `canonicalize`, without code of
 * the service. Undefined: none of them.
 * @param publicKeys as the API formats them
 */
export function findSigner(task: SigningTask, signature: string, publicKeys: readonly string[]): string | undefined {
  const text = Buffer.from(canonicalize(toData(task)) ?? '');
  try {
    if (accountName(task.account).algorithm === 'ed25519') {
      const bytes = signatureBytes(signature, 'base58');
      return publicKeys.find((publicKey) => isEd25519Signature(publicKey, text, bytes));
    }
    const address = verifyMessage(text, signature);
    return publicKeys.find((publicKey) => getAddress(publicKey) === address);
  } catch {
    // Malformed signatures verify under no key.
    return undefined;
  }
}

/** Cached: it takes a fifth of a verification. */
function getAddress(publicKey: string): string {
  const known = addresses.get(publicKey) ?? computeAddress(publicKey);
  addresses.set(publicKey, known);
  return known;
}

function parse(body: string): ResponseBody {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}
