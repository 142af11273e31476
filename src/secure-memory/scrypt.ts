import { pbkdf2Sync, scryptSync } from 'node:crypto';
import sodium from 'sodium-native';
import { roMix } from './ro-mix.ts';

/** Cost parameters of scrypt (RFC 7914 §2). */
export interface ScryptCost {
  /** N: a power of two above 1. */
  readonly n: number;
  /** Block size. */
  readonly r: number;
  /** Parallelization. */
  readonly p: number;
}

/** Memory that scrypt needs, in bytes. */
export function scryptMemory({ n, r, p }: ScryptCost): number {
  return 128 * r * (n + p + 2);
}

/**
 * scrypt (RFC 7914 §6) of `length` bytes in an ordinary Buffer, which the caller wipes. OpenSSL's, but for what it refuses: N of 2^(16r) and
 * above. The Web3 Secret Storage test vector and keystores of older web3.py have N = 2^18 with r = 1.
 */
export function scrypt(password: Buffer, salt: Buffer, cost: ScryptCost, length: number): Buffer {
  if (cost.n >= 2 ** (16 * cost.r)) return scryptBeyondOpenssl(password, salt, cost, length);
  return scryptSync(password, salt, length, { N: cost.n, r: cost.r, p: cost.p, maxmem: scryptMemory(cost) });
}

/** The same for any cost, some times slower. */
export function scryptBeyondOpenssl(password: Buffer, salt: Buffer, { n, r, p }: ScryptCost, length: number): Buffer {
  const blocks = pbkdf2Sync(password, salt, 1, p * 128 * r, 'sha256');
  const words = new Int32Array(32 * r);
  try {
    for (let start = 0; start < blocks.length; start += words.byteLength) {
      for (let word = 0; word < words.length; word += 1) words[word] = blocks.readInt32LE(start + 4 * word);
      roMix(words, n);
      for (const [word, value] of words.entries()) blocks.writeInt32LE(value, start + 4 * word);
    }
    return pbkdf2Sync(password, blocks, 1, length, 'sha256');
  } finally {
    words.fill(0);
    sodium.sodium_memzero(blocks);
  }
}
