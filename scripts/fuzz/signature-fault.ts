import { isEd25519Signature, isPersonalSignature } from '../../tests/contracts/independent-verification.ts';
import { signatureBytes } from '../../tests/contracts/signature-bytes.ts';
import type { FuzzCase } from './fuzz-case.ts';

/** One in so many is verified: ethers takes longer for it than the service for the signature. */
const EVERY = 8;

let seen = 0;

interface Signed {
  readonly signature?: string;
  readonly algorithm?: string;
  readonly publicKey?: string;
  readonly payload?: string;
  readonly payloadEncoding?: 'hex' | 'base64';
}

/** What OpenSSL and ethers find wrong with a signature that came with its payload; null for data that is none. */
export function signatureFault(data: unknown, { kind }: FuzzCase): string | null {
  const { signature, algorithm, publicKey, payload, payloadEncoding } = (data ?? {}) as Signed;
  if (signature === undefined || payload === undefined || publicKey === undefined) return null;
  seen += 1;
  if (seen % EVERY !== 0) return null;
  const message = Buffer.from(payload, payloadEncoding ?? 'utf8');
  if (algorithm === 'ed25519') {
    return isEd25519Signature(publicKey, message, signatureBytes(signature, 'base58'))
      ? null
      : `${kind}: wrong signature`;
  }
  if (algorithm !== 'eip191') return null;
  return isPersonalSignature(publicKey, message, signatureBytes(signature, 'hex')) ? null : `${kind}: wrong signature`;
}
