import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { ALGORITHM_ROWS, type Algorithm } from '../../src/domain/model/algorithm.ts';
import { byteFormsOf, type Form, textFormsOf } from './forms.ts';
import { computesWithLimbs, type LimbAlgorithm, limbForms } from './limbs.ts';
import { type Sha2Name, sha2State } from './sha2-state.ts';

/** Must not be in a process's memory in any form. */
export interface Secret {
  /** An account, or the source file. */
  readonly owner: string;
  /** `private key`, `scalar`. */
  readonly name: string;
  readonly forms: readonly Form[];
}

const BYTES_OF_ED25519_KEY = 32;
/** PKCS#8 prefix of an Ed25519 seed (RFC 8410 §7). */
const ED25519_PKCS8_START = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Pad bytes of HMAC (RFC 2104 §2). */
const HMAC_PADS = { 'HMAC inner pad': 0x36, 'HMAC outer pad': 0x5c } as const;

export function secretOf(owner: string, name: string, bytes: Buffer): Secret {
  return { owner, name, forms: [...byteFormsOf(bytes), ...textFormsOf(bytes)] };
}

/**
 * A key or password and HMAC's padded blocks (RFC 2104) for SHA-256 (64 bytes) and for SHA-384 and
 * SHA-512 (128 bytes).
 */
export function secretsOfMacKey(owner: string, name: string, key: Buffer): readonly Secret[] {
  const pads = Object.entries(HMAC_PADS).map(([pad, byte]) => ({
    owner,
    name: `${name}, ${pad}`,
    forms: byteFormsOf(Buffer.from(key.map((keyByte) => keyByte ^ byte))),
  }));
  return [secretOf(owner, name, key), ...pads];
}

/** A private key and everything equivalent. */
export function secretsOfKey(owner: string, algorithm: Algorithm, key: Buffer): readonly Secret[] {
  if (algorithm === 'rsa-sha256') return secretsOfRsaKey(owner, key);
  const secrets = secretsOfMacKey(owner, 'private key', key);
  const { hash } = ALGORITHM_ROWS[algorithm];
  if (hash !== undefined) return [...secrets, ...secretsOfHmac(owner, hash, key)];
  if (computesWithLimbs(algorithm)) return [...secrets, limbSecret(owner, 'private key', algorithm, key)];
  return algorithm === 'ed25519' ? [...secrets, ...secretsOfSeed(owner, key)] : secrets;
}

/** A number as the signer computes with it. */
export function limbSecret(owner: string, name: string, algorithm: LimbAlgorithm, number: Buffer): Secret {
  return { owner, name: `${name} as limbs`, forms: limbForms(algorithm, number) };
}

/** Bytes of a number that are looked for together: freed memory keeps parts of it. */
const RSA_BLOCK_BYTES = 32;

/**
 * Numbers of a DER RSAPrivateKey (RFC 8017 §A.1.2) in blocks, by OpenSSL: each reveals the key.
 * Reversed blocks are those of OpenSSL's limbs. Block 1 is the least significant: one of some
 * hundred numbers is a byte shorter and lacks the last block.
 */
function secretsOfRsaKey(owner: string, key: Buffer): readonly Secret[] {
  const jwk = createPrivateKey({ key, format: 'der', type: 'pkcs1' }).export({ format: 'jwk' });
  const numbers = { d: jwk.d, p: jwk.p, q: jwk.q, dP: jwk.dp, dQ: jwk.dq, qInv: jwk.qi };
  return Object.entries(numbers).flatMap(([name, text = '']) => {
    const number = Buffer.from(text, 'base64url');
    const blocks = Math.floor(number.length / RSA_BLOCK_BYTES);
    return Array.from({ length: blocks }, (_, block) => {
      const start = number.length - RSA_BLOCK_BYTES * (block + 1);
      return secretOf(owner, `${name}, block ${block + 1}`, number.subarray(start, start + RSA_BLOCK_BYTES));
    });
  });
}

/**
 * HMAC (RFC 2104 §2, §4): a long key's digest replaces it; states after the padded key sign
 * everything.
 */
function secretsOfHmac(owner: string, hash: Sha2Name, key: Buffer): readonly Secret[] {
  const blockBytes = hash === 'sha256' ? 64 : 128;
  const digest = key.length > blockBytes ? createHash(hash).update(key).digest() : undefined;
  const block = Buffer.alloc(blockBytes);
  (digest ?? key).copy(block);
  const stateBehind = (pad: number) => {
    const state = sha2State(hash, Buffer.from(block.map((byte) => byte ^ pad)));
    return hash === 'sha256' ? [...byteFormsOf(state), sha256Registers(state)] : byteFormsOf(state);
  };
  return [
    ...(digest === undefined ? [] : secretsOfMacKey(owner, 'digest of the key', digest)),
    { owner, name: 'HMAC inner state', forms: stateBehind(HMAC_PADS['HMAC inner pad']) },
    { owner, name: 'HMAC outer state', forms: stateBehind(HMAC_PADS['HMAC outer pad']) },
  ];
}

/** Words of a SHA-256 state in the two vector registers of x86's SHA instructions, lowest first. */
const SHA_REGISTERS = [
  [5, 4, 1, 0],
  [7, 6, 3, 2],
] as const;

function sha256Registers(state: Buffer): Form {
  const words = Buffer.from(state).swap32();
  const wordAt = (index: number) => words.subarray(4 * index, 4 * index + 4);
  return { name: 'registers of SHA instructions', parts: SHA_REGISTERS.map((row) => Buffer.concat(row.map(wordAt))) };
}

/** Ed25519 (RFC 8032 §5.1.5): the scalar signs; prefix and one signature reveal it. */
function secretsOfSeed(owner: string, seed: Buffer): readonly Secret[] {
  const hash = createHash('sha512').update(seed).digest();
  const scalar = Buffer.from(hash.subarray(0, 32));
  scalar.writeUInt8(scalar.readUInt8(0) & 0xf8, 0);
  scalar.writeUInt8((scalar.readUInt8(31) & 0x7f) | 0x40, 31);
  return [
    secretOf(owner, 'SHA-512 of the seed, first half', hash.subarray(0, 32)),
    secretOf(owner, 'SHA-512 of the seed, second half', hash.subarray(32)),
    secretOf(owner, 'scalar', scalar),
    { owner, name: 'seed and public key', forms: pairForms(seed) },
  ];
}

/**
 * Seed and public key in one text that does not contain the seed's own. Reversed numbers would be
 * half public.
 */
function pairForms(seed: Buffer): readonly Form[] {
  const pair = Buffer.concat([seed, ed25519PublicKey(seed)]);
  return textFormsOf(pair).filter(({ name }) => /^(?:base58|decimal)(?: utf-16)?$/.test(name));
}

/** 32 bytes, by OpenSSL. */
export function ed25519PublicKey(seed: Buffer): Buffer {
  const key = createPrivateKey({ key: Buffer.concat([ED25519_PKCS8_START, seed]), format: 'der', type: 'pkcs8' });
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-BYTES_OF_ED25519_KEY);
}
