import { hash } from 'node:crypto';

/**
 * `sha256:<64 hex>` (FIPS 180-4, lower case) of bytes or of a text's UTF-8. A file of its own,
 * because NodeHasher compiles WebAssembly.
 */
export function sha256Of(content: Uint8Array | string): string {
  return `sha256:${hash('sha256', content, 'hex')}`;
}
