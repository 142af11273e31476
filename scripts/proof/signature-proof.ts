import canonicalize from 'canonicalize';
import { computeAddress, verifyMessage } from 'ethers';
import { isEd25519Signature } from '../../tests/contracts/independent-verification.ts';
import { signatureBytes } from '../../tests/contracts/signature-bytes.ts';
import { accountName } from '../load/account-names.ts';
import { dataOf, type Reply, type Wish } from '../load/load-process.ts';

/** One signature that reached a caller, or what he got instead. */
export interface Item {
  readonly wish: Wish;
  /** Null when there is none. */
  readonly signature: string | null;
  /** Of the answer; null in batches, which name none. */
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

interface AnswerBody {
  readonly data?: ResultBody & { readonly results?: readonly ResultBody[] };
  readonly error?: { readonly code: string };
}

const addresses = new Map<string, string>();

/** What each wish of a call came to. A body that is none of the API's, and an item that answers another wish, is error code `UNREADABLE`. */
export function itemsOf({ wishes, isBatch, body }: Reply): readonly Item[] {
  const { data, error } = parse(body);
  return wishes.map((wish, index) => {
    const result = isBatch ? data?.results?.[index] : data;
    const isOwn = result !== undefined && (!isBatch || result.requestId === String(wish.call));
    const signature = isOwn ? (result.signature ?? null) : null;
    const errorCode = signature === null ? (result?.error?.code ?? error?.code ?? 'UNREADABLE') : null;
    return { wish, signature, publicKey: result?.publicKey ?? null, errorCode };
  });
}

/**
 * Which of these public keys a signature over the wish's data is of, told by OpenSSL or ethers, the data written by `canonicalize`: nothing of the service takes part. Undefined for none of them.
 * @param publicKeys as the API gives them
 */
export function signerOf(wish: Wish, signature: string, publicKeys: readonly string[]): string | undefined {
  const text = Buffer.from(canonicalize(dataOf(wish)) ?? '');
  try {
    if (accountName(wish.account).algorithm === 'ed25519') {
      const bytes = signatureBytes(signature, 'base58');
      return publicKeys.find((publicKey) => isEd25519Signature(publicKey, text, bytes));
    }
    const address = verifyMessage(text, signature);
    return publicKeys.find((publicKey) => addressOf(publicKey) === address);
  } catch {
    // Whatever can't be read is nobody's signature.
    return undefined;
  }
}

/** Worked out once for each key: it takes a fifth of what verifying takes. */
function addressOf(publicKey: string): string {
  const known = addresses.get(publicKey) ?? computeAddress(publicKey);
  addresses.set(publicKey, known);
  return known;
}

function parse(body: string): AnswerBody {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}
