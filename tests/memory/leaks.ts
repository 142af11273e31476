import { createHash, createHmac } from 'node:crypto';
import { sign as starkSign } from '@scure/starknet';
import { getBytes, hashMessage, SigningKey } from 'ethers';
import { LockedBuffer } from '../../src/adapters/vault/locked-buffer.ts';
import { ALGORITHMS, type Algorithm, isMacAlgorithm } from '../../src/domain/model/algorithm.ts';
import { hashOfMac } from '../contracts/independent-verification.ts';
import { starkMessageHash } from '../contracts/stark-verification.ts';
import { bs58 } from '../harness/base58.ts';
import { type LimbAlgorithm, montgomeryLimbs } from '../process-memory/limbs.ts';
import { knowledgeOf } from './algorithms.ts';
import { nonceOf, starkNonceOf } from './nonces.ts';

/** A deliberate leak of home-made signers. */
export interface Leak {
  readonly name: string;
  readonly algorithm: Algorithm;
  /** Expected findings, `secret: form`. */
  readonly expected: readonly string[];
  /** Kept in memory, as in a cache; `key` is in the key store's memory. */
  readonly keep?: (key: Buffer) => unknown;
  /** Signs with another library, keeping nothing. */
  readonly sign?: (key: Buffer, message: Uint8Array) => Uint8Array;
}

const HMAC_BLOCK_BYTES = 64;

const keptNonces: Buffer[] = [];

const HMAC_PADS = ['private key, HMAC inner pad: raw', 'private key, HMAC outer pad: raw'];
const EXPANDED_SEED = ['SHA-512 of the seed, first half: raw', 'SHA-512 of the seed, second half: raw'];

/** Of a key that OpenSSL keeps. */
const RSA_LIMBS = ['d, block 1: reversed', 'p, block 4: reversed', 'q, block 1: reversed', 'qInv, block 3: reversed'];

/** Of a library that computes with strings and buffers, and keeps none; many copies of each. */
const IN_GARBAGE = ['private key: raw', 'private key: hex lower'];

/** Leaks of one algorithm; absent: none, or those of an HMAC. */
const OWN_LEAKS: { readonly [Name in Algorithm]?: readonly Leak[] } = {
  ed25519: [
    // After 16 bytes of PKCS#8.
    keeping('ed25519', 'PEM', ['private key: base64 +1'], toPem('ed25519')),
    keeping('ed25519', 'the expanded seed', EXPANDED_SEED, expandedSeed),
    keeping('ed25519', 'a KeyObject of node:crypto', ['private key: raw'], knowledgeOf('ed25519').keyObject),
  ],
  eip191: [
    // After 35 bytes of PKCS#8.
    keeping('eip191', 'PEM', ['private key: base64 +2'], toPem('eip191')),
    keeping('eip191', 'a SigningKey of ethers', ['private key: hex lower'], signingKeyOfEthers),
    { name: 'the nonce of a signature', algorithm: 'eip191', expected: ['nonce: raw'], sign: signAndKeepNonce },
  ],
  starknet: [
    {
      name: 'the signer of @scure/starknet',
      algorithm: 'starknet',
      expected: IN_GARBAGE,
      sign: (key, message) => signByScure(key, message).toBytes('compact'),
    },
    numberOfArithmetic('starknet'),
    { name: 'the nonce of a signature', algorithm: 'starknet', expected: ['nonce: raw'], sign: signAndKeepStarkNonce },
  ],
  'rsa-sha256': [
    keeping('rsa-sha256', 'a copy in a Buffer', ['d, block 7: raw', 'p, block 1: raw'], (key) => Buffer.from(key)),
    keeping('rsa-sha256', 'a KeyObject of node:crypto', RSA_LIMBS, knowledgeOf('rsa-sha256').keyObject),
  ],
  es256: [
    numberOfArithmetic('es256'),
    keeping('es256', 'a KeyObject of node:crypto', ['private key: reversed'], knowledgeOf('es256').keyObject),
    // After 35 bytes of PKCS#8.
    keeping('es256', 'PEM', ['private key: base64 +2'], toPem('es256')),
  ],
};

/** Share keys, and so most leaks, with another algorithm; or have a key of several numbers. */
const WITHOUT_COMMON_LEAKS: readonly Algorithm[] = ['eip712', 'hyperliquid-l1', 'rsa-sha256', 'cosmos'];

const ALL_LEAKS: readonly Leak[] = ALGORITHMS.flatMap((algorithm) => [
  { name: 'nothing', algorithm, expected: [] },
  ...(algorithm === 'rsa-sha256' ? [] : [copyInBuffer(algorithm)]),
  ...(WITHOUT_COMMON_LEAKS.includes(algorithm) ? [] : leaksOf(algorithm)),
  ...(OWN_LEAKS[algorithm] ?? (isMacAlgorithm(algorithm) ? macLeaks(algorithm) : [])),
]);

/**
 * All leaks, in the order of signing; `nothing` per algorithm proves that the process itself does
 * not leak. The one in garbage is last: a garbage collection can overwrite what came before.
 */
export const LEAKS: readonly Leak[] = ALL_LEAKS.toSorted(
  (one, other) => Number(one.expected === IN_GARBAGE) - Number(other.expected === IN_GARBAGE),
);

function copyInBuffer(algorithm: Algorithm): Leak {
  return keeping(algorithm, 'a copy in a Buffer', ['private key: raw'], (key) => Buffer.from(key));
}

function leaksOf(algorithm: Algorithm): readonly Leak[] {
  return [
    keeping(algorithm, 'a copy in a page without access', ['private key: raw'], lockedCopy),
    keeping(algorithm, 'a BigInt', ['private key: reversed'], toBigInt),
    keeping(algorithm, 'an array of numbers', ['private key: numbers of 8 bytes'], (key) => Array.from(key)),
    keeping(algorithm, 'numbers of two bytes', ['private key: numbers of 2 bytes'], (key) => Uint16Array.from(key)),
    keeping(algorithm, 'floating-point numbers', ['private key: floats of 8 bytes'], (key) => Float64Array.from(key)),
    keeping(algorithm, 'a Latin-1 text, joined', ['private key: numbers of 2 bytes'], joinedLatin1),
    keeping(algorithm, 'a Latin-1 text as UTF-8', ['private key: Latin-1 as UTF-8'], latin1AsUtf8),
    keeping(algorithm, 'an array in JSON', ['private key: numbers with commas'], (key) => JSON.stringify([...key])),
    keeping(algorithm, 'hex digits', ['private key: hex lower'], (key) => key.toString('hex')),
    keeping(algorithm, 'hex digits of the reversed key', ['private key: hex lower of reversed'], reversedHex),
    keeping(algorithm, 'hex digits from the last', ['private key: hex lower backwards'], backwardsHex),
    keeping(algorithm, 'hex digits with colons', ['private key: hex lower with colons'], hexWithColons),
    keeping(algorithm, 'base64', ['private key: base64'], (key) => key.toString('base64')),
    keeping(algorithm, 'base58', ['private key: base58'], joinedBase58),
    keeping(algorithm, 'decimal digits', ['private key: decimal'], (key) => toBigInt(key).toString()),
    keeping(algorithm, 'the pads of an HMAC', HMAC_PADS, hmacPads),
  ];
}

/** ethers adds digit by digit, and V8 keeps such a text in pieces until it is read whole. */
function joinedBase58(key: Buffer): string {
  return Buffer.from(bs58.encode(key), 'latin1').toString('latin1');
}

/** Its hex digits become one string only when it signs. */
function signingKeyOfEthers(key: Buffer): SigningKey {
  const signingKey = new SigningKey(key);
  signingKey.sign(hashMessage(''));
  return signingKey;
}

function signAndKeepNonce(key: Buffer, message: Uint8Array): Uint8Array {
  const digest = hashMessage(message);
  const { serialized } = new SigningKey(key).sign(digest);
  keptNonces.push(nonceOf(key, digest, serialized));
  return getBytes(serialized);
}

function signByScure(key: Buffer, message: Uint8Array): ReturnType<typeof starkSign> {
  return starkSign(starkHash(message), key);
}

function starkHash(message: Uint8Array): string {
  return starkMessageHash(message).toString(16).padStart(64, '0');
}

function signAndKeepStarkNonce(key: Buffer, message: Uint8Array): Uint8Array {
  const signature = signByScure(key, message).toBytes('compact');
  keptNonces.push(starkNonceOf(key, `0x${starkHash(message)}`, `0x${Buffer.from(signature).toString('hex')}`));
  return signature;
}

function numberOfArithmetic(algorithm: LimbAlgorithm): Leak {
  const expected = ['private key as limbs: Montgomery form'];
  return keeping(algorithm, 'a number of its arithmetic', expected, (key) => montgomeryLimbs(algorithm, key));
}

function macLeaks(algorithm: Algorithm): readonly Leak[] {
  const hash = hashOfMac(algorithm);
  const wordBytes = hash === 'sha256' ? 4 : 8;
  const states = [`HMAC inner state: words of ${wordBytes} bytes`, `HMAC outer state: words of ${wordBytes} bytes`];
  return [
    keeping(algorithm, 'an Hmac of node:crypto, unfinished', states, (key) => createHmac(hash, key)),
    keeping(algorithm, 'a KeyObject of node:crypto', ['private key: raw'], knowledgeOf(algorithm).keyObject),
  ];
}

function keeping(
  algorithm: Algorithm,
  name: string,
  expected: readonly string[],
  keep: (key: Buffer) => unknown,
): Leak {
  return { name, algorithm, expected, keep };
}

function lockedCopy(key: Buffer): LockedBuffer {
  const copy = new LockedBuffer(key.length);
  copy.use((bytes) => key.copy(bytes));
  return copy;
}

/** Not through text: only the BigInt's limbs. */
function toBigInt(key: Buffer): bigint {
  return key.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
}

function reversedHex(key: Buffer): string {
  return Buffer.from(key).reverse().toString('hex');
}

function backwardsHex(key: Buffer): string {
  return [...key.toString('hex')].reverse().join('');
}

/** OpenSSL's format. */
function hexWithColons(key: Buffer): string {
  return key.toString('hex').replaceAll(/..(?=.)/g, '$&:');
}

function joinedLatin1(key: Buffer): string {
  const text = `${key.toString('latin1')}\u2026`;
  // V8 flattens on first read; the last character makes it two-byte.
  text.charCodeAt(0);
  return text;
}

function latin1AsUtf8(key: Buffer): Buffer {
  return Buffer.from(key.toString('latin1'), 'utf8');
}

function hmacPads(key: Buffer): readonly Buffer[] {
  return [0x36, 0x5c].map((pad) => {
    const block = Buffer.alloc(HMAC_BLOCK_BYTES, pad);
    for (const [index, byte] of key.entries()) block[index] = pad ^ byte;
    return block;
  });
}

function toPem(algorithm: Algorithm): (key: Buffer) => string {
  return (key) => String(knowledgeOf(algorithm).keyObject(key).export({ format: 'pem', type: 'pkcs8' }));
}

function expandedSeed(key: Buffer): Buffer {
  return createHash('sha512').update(key).digest();
}
