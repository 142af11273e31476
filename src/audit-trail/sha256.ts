import { hash } from 'node:crypto';

/** `sha256:` and the 64 lower-case hex digits of SHA-256 (FIPS 180-4) over a text's UTF-8. */
export function sha256Of(text: string): string {
  return `sha256:${hash('sha256', text, 'hex')}`;
}
