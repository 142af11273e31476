import { createHash } from 'node:crypto';
import type { Hasher } from '../../../ports/hasher.ts';

/** Digests by node:crypto (OpenSSL). */
export class NodeHasher implements Hasher {
  sha256(content: Uint8Array | string): string {
    return `sha256:${createHash('sha256').update(content).digest('hex')}`;
  }
}
