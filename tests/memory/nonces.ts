import { createECDH } from 'node:crypto';
import { STARK_ORDER, starkPublicKey } from '../contracts/stark-verification.ts';
import { byteFormsOf } from '../process-memory/forms.ts';
import { limbSecret, type Secret } from '../process-memory/secrets.ts';
import { GROUP_ORDER as P256_ORDER } from '../unit/adapters/signing/p256-order.ts';
import { GROUP_ORDER } from '../unit/adapters/signing/secp256k1-order.ts';
import type { LastSignature } from './signatures.ts';

/** A curve of ECDSA. */
export interface NonceCurve {
  /** OpenSSL's name. */
  readonly name: string;
  readonly order: bigint;
}

export const SECP256K1: NonceCurve = { name: 'secp256k1', order: BigInt(`0x${GROUP_ORDER}`) };
export const P256: NonceCurve = { name: 'prime256v1', order: BigInt(`0x${P256_ORDER}`) };

/** Offsets in `0x` hex: r, then s. */
const [R_END, S_END] = [2 + 64, 2 + 128];

/**
 * Nonces of ECDSA signatures, which reveal the key as r⁻¹(sk − z) (SEC 1 §4.1.3). Low s may negate
 * those of secp256k1: both are sought.
 */
export function nonceSecrets(signatures: readonly LastSignature[]): readonly Secret[] {
  return signatures.flatMap(({ account, digest, signature }) => {
    if (digest === undefined) return [];
    if (account.algorithm === 'starknet') {
      const nonce = starkNonceOf(account.key, digest, signature);
      return [
        { owner: account.name, name: 'nonce', forms: byteFormsOf(nonce) },
        limbSecret(account.name, 'nonce', 'starknet', nonce),
      ];
    }
    if (account.algorithm === 'es256') {
      const hex = `0x${Buffer.from(signature, 'base64url').toString('hex')}`;
      const nonce = nonceOf(account.key, digest, hex, P256);
      return [
        { owner: account.name, name: 'nonce', forms: byteFormsOf(nonce) },
        limbSecret(account.name, 'nonce', 'es256', nonce),
      ];
    }
    const nonce = nonceOf(account.key, digest, signature);
    return [
      { owner: account.name, name: 'nonce', forms: byteFormsOf(nonce) },
      { owner: account.name, name: 'negated nonce', forms: byteFormsOf(bytesOf(SECP256K1.order - numberOf(nonce))) },
    ];
  });
}

/**
 * As {@link nonceOf}, for the Stark curve.
 * @param signature 0x-hex of r‖s
 */
export function starkNonceOf(key: Buffer, digest: string, signature: string): Buffer {
  const r = BigInt(signature.slice(0, R_END));
  const s = BigInt(`0x${signature.slice(R_END, S_END)}`);
  const nonce = (inverseOf(s, STARK_ORDER) * (BigInt(digest) + r * numberOf(key))) % STARK_ORDER;
  if (starkPublicKey(nonce) !== r) throw new Error('The signature is not one of this key over this digest.');
  return bytesOf(nonce);
}

/**
 * The signature's nonce, possibly negated.
 * @param digest 0x-hex of 32 bytes
 * @param signature 0x-hex of r‖s, and more
 * @throws Error if the signature does not match key and digest
 */
export function nonceOf(key: Buffer, digest: string, signature: string, curve = SECP256K1): Buffer {
  const { order } = curve;
  const r = signature.slice(0, R_END);
  const s = BigInt(`0x${signature.slice(R_END, S_END)}`);
  const nonce = bytesOf((inverseOf(s, order) * (BigInt(digest) + BigInt(r) * numberOf(key))) % order);
  // 04, x and y of nonce·G; x is r, for all but a negligible part of points.
  const generator = createECDH(curve.name);
  generator.setPrivateKey(nonce);
  const point = generator.getPublicKey('hex');
  if (`0x${point.slice(2, 2 + 64)}` !== r) throw new Error('The signature is not one of this key over this digest.');
  return nonce;
}

/** Fermat's little theorem; the order is prime. */
function inverseOf(number: bigint, order: bigint): bigint {
  let [result, base] = [1n, number % order];
  for (let exponent = order - 2n; exponent > 0n; exponent >>= 1n) {
    if ((exponent & 1n) === 1n) result = (result * base) % order;
    base = (base * base) % order;
  }
  return result;
}

function numberOf(bigEndian: Buffer): bigint {
  return BigInt(`0x${bigEndian.toString('hex')}`);
}

function bytesOf(number: bigint): Buffer {
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
}
