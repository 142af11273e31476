import { hash } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { createKeccak, type IHasher } from 'hash-wasm';
import type { DigestAlgorithm } from '../../domain/model/algorithm.ts';
import type { Hasher } from '../../ports/hasher.ts';
import { sha256Of } from './sha256.ts';

/** WebAssembly Keccak; null until compiled, or where it cannot be. */
let compiledKeccak: IHasher | null = null;
createKeccak(256).then(
  (compiled) => {
    compiledKeccak = compiled;
  },
  () => undefined,
);

/**
 * Keccak-256 as Ethereum uses it (not FIPS 202) of the concatenated parts, 32 bytes. Never for
 * keys: input stays in WebAssembly memory until the next call. Several times as fast as the
 * fallback.
 */
export function keccak256(...parts: readonly Uint8Array[]): Uint8Array {
  if (compiledKeccak === null) return keccak_256(concatBytes(...parts));
  compiledKeccak.init();
  for (const part of parts) compiledKeccak.update(part);
  return compiledKeccak.digest('binary');
}

/** SHA-2 by node:crypto; Keccak-256, which OpenSSL lacks, by WebAssembly. */
export class NodeHasher implements Hasher {
  sha256(content: Uint8Array | string): string {
    return sha256Of(content);
  }

  digest(algorithm: DigestAlgorithm, content: Uint8Array): Uint8Array {
    if (algorithm === 'keccak256') return keccak256(content);
    return hash(algorithm, content, 'buffer');
  }
}
