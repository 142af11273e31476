import { hash } from 'node:crypto';

let newest = '';
let older = '';

/** `sha256:` and the 64 lower-case hex digits of SHA-256 (FIPS 180-4) over bytes, or over a text's UTF-8. */
export function sha256Of(content: Uint8Array | string): string {
  older = newest;
  newest = `sha256:${hash('sha256', content, 'hex')}`;
  return newest;
}

/**
 * Whether a text is one of the last two digests that were made here, as both digests of a record are when it is written. That they fit the pattern of a digest need not be looked up then; false says
 * nothing.
 */
export function isNewDigest(text: string): boolean {
  return text === older || text === newest;
}
