/** Digests for the audit record. */
export interface Hasher {
  /** `sha256:` and the 64 lower-case hex digits of SHA-256 (FIPS 180-4) over the bytes, or over a text's UTF-8. */
  sha256(content: Uint8Array | string): string;
}
