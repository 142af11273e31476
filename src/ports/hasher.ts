import type { DigestAlgorithm } from '../domain/model/digest-algorithm.ts';

/** Digests for the audit record and for payloads. */
export interface Hasher {
  /** `sha256:` and the 64 lower-case hex digits of SHA-256 (FIPS 180-4) over the bytes, or over a text's UTF-8. */
  sha256(content: Uint8Array | string): string;

  /** The bytes of a digest: 32, of SHA-512 64. */
  digest(algorithm: DigestAlgorithm, content: Uint8Array): Uint8Array;
}
