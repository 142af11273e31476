import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { type Algorithm, isMacAlgorithm, type MacAlgorithm } from '../../src/domain/model/algorithm.ts';
import { byteFormsOf, type Form, textFormsOf } from './forms.ts';
import { sha2State } from './sha2-state.ts';

/** Something that must not be in a process's memory, in any of its forms. */
export interface Secret {
  /** Whose it is: an account, or the file that it comes from. */
  readonly owner: string;
  /** `private key`, `scalar`. */
  readonly name: string;
  readonly forms: readonly Form[];
}

const BYTES_OF_ED25519_KEY = 32;
/** PKCS#8 of an Ed25519 key but for its last 32 bytes, the seed (RFC 8410 §7). */
const ED25519_PKCS8_START = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Byte of the blocks that HMAC adds to its key (RFC 2104 §2). */
const HMAC_PADS = { 'HMAC inner pad': 0x36, 'HMAC outer pad': 0x5c } as const;

/** A secret as it is. */
export function secretOf(owner: string, name: string, bytes: Buffer): Secret {
  return { owner, name, forms: [...byteFormsOf(bytes), ...textFormsOf(bytes)] };
}

/**
 * A key or password, and what HMAC (RFC 2104) makes of it before it hashes: of SHA-256's block of 64 bytes and SHA-512's of 128 the same bytes depend on
 * a key that is not longer.
 */
export function secretsOfMacKey(owner: string, name: string, key: Buffer): readonly Secret[] {
  const pads = Object.entries(HMAC_PADS).map(([pad, byte]) => ({
    owner,
    name: `${name}, ${pad}`,
    forms: byteFormsOf(Buffer.from(key.map((keyByte) => keyByte ^ byte))),
  }));
  return [secretOf(owner, name, key), ...pads];
}

/** A private key and whatever signs as well as it does, or makes it known. */
export function secretsOfKey(owner: string, algorithm: Algorithm, key: Buffer): readonly Secret[] {
  const secrets = secretsOfMacKey(owner, 'private key', key);
  if (isMacAlgorithm(algorithm)) return [...secrets, ...secretsOfHmac(owner, algorithm, key)];
  return algorithm === 'ed25519' ? [...secrets, ...secretsOfSeed(owner, key)] : secrets;
}

const HMAC_HASHES = {
  'hmac-sha256': { hash: 'sha256', blockBytes: 64 },
  'hmac-sha512': { hash: 'sha512', blockBytes: 128 },
} as const satisfies { readonly [Name in MacAlgorithm]: object };

/** HMAC (RFC 2104 §2 and §4): a longer key's digest stands for it, and the states behind the padded key make every code. */
function secretsOfHmac(owner: string, algorithm: MacAlgorithm, key: Buffer): readonly Secret[] {
  const { hash, blockBytes } = HMAC_HASHES[algorithm];
  const digest = key.length > blockBytes ? createHash(hash).update(key).digest() : undefined;
  const block = Buffer.alloc(blockBytes);
  (digest ?? key).copy(block);
  const stateBehind = (pad: number) => byteFormsOf(sha2State(hash, Buffer.from(block.map((byte) => byte ^ pad))));
  return [
    ...(digest === undefined ? [] : secretsOfMacKey(owner, 'digest of the key', digest)),
    { owner, name: 'HMAC inner state', forms: stateBehind(HMAC_PADS['HMAC inner pad']) },
    { owner, name: 'HMAC outer state', forms: stateBehind(HMAC_PADS['HMAC outer pad']) },
  ];
}

/** Ed25519 (RFC 8032 §5.1.5): the scalar signs, and the prefix with one signature gives the scalar. */
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

/** Seed and public key in one text of which the seed's own is no part. Of the reversed number half the digits would be the public key's. */
function pairForms(seed: Buffer): readonly Form[] {
  const pair = Buffer.concat([seed, ed25519PublicKey(seed)]);
  return textFormsOf(pair).filter(({ name }) => /^(?:base58|decimal)(?: utf-16)?$/.test(name));
}

/** The 32-byte public key of a seed, by OpenSSL. */
export function ed25519PublicKey(seed: Buffer): Buffer {
  const key = createPrivateKey({ key: Buffer.concat([ED25519_PKCS8_START, seed]), format: 'der', type: 'pkcs8' });
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-BYTES_OF_ED25519_KEY);
}
