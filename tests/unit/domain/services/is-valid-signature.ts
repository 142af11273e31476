import type { SignedResult } from '../../../../src/domain/model/sign-request.ts';
import {
  hmacOf,
  isCosmosSignature,
  isEd25519Signature,
  isEs256Signature,
  isPersonalSignature,
  isRsaSignature,
  isTypedDataSignature,
} from '../../../contracts/independent-verification.ts';
import { signatureBytes } from '../../../contracts/signature-bytes.ts';
import { isStarkSignature } from '../../../contracts/stark-verification.ts';

const HASHES = { 'hmac-sha256': 'sha256', 'hmac-sha384': 'sha384', 'hmac-sha512': 'sha512' } as const;

type CheckedSignature = Pick<SignedResult, 'signature' | 'algorithm' | 'encoding' | 'publicKey'>;

/**
 * Verifies a signature over `message` with OpenSSL or ethers, an HMAC with the private key.
 * @param privateKey for HMAC only
 */
export function isValidSignature(
  { signature, algorithm, encoding, publicKey }: CheckedSignature,
  message: Uint8Array,
  privateKey?: Uint8Array,
): boolean {
  if (encoding === 'jws-compact') throw new Error('Tokens are verified by their parts.');
  const bytes = signatureBytes(signature, encoding);
  if (algorithm === 'ed25519') return isEd25519Signature(publicKey, message, bytes);
  if (algorithm === 'eip191') return isPersonalSignature(publicKey, message, bytes);
  if (algorithm === 'eip712' || algorithm === 'hyperliquid-l1') return isTypedDataSignature(publicKey, message, bytes);
  if (algorithm === 'starknet') return isStarkSignature(publicKey, message, bytes);
  if (algorithm === 'rsa-sha256') return isRsaSignature(publicKey, message, bytes);
  if (algorithm === 'cosmos') return isCosmosSignature(publicKey, message, bytes);
  if (algorithm === 'es256') return isEs256Signature(publicKey, message, bytes);
  if (privateKey === undefined) throw new Error('An HMAC is checked with its secret.');
  return hmacOf(HASHES[algorithm], privateKey, message).equals(bytes);
}
