import type { DigestAlgorithm } from '../domain/model/algorithm.ts';

/** Digests for the audit record and for payloads. */
export interface Hasher {
  /** `sha256:<64 hex>` (FIPS 180-4, lower case) of the bytes, or of a text's UTF-8. */
  sha256(content: Uint8Array | string): string;

  /** 32 bytes; 64 for SHA-512. */
  digest(algorithm: DigestAlgorithm, content: Uint8Array): Uint8Array;
}
