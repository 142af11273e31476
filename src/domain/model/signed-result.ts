import type { Algorithm } from './algorithm.ts';
import type { Payload } from './payload.ts';
import type { SignatureEncoding } from './signature-encoding.ts';

/** A released signature. */
export interface SignedResult {
  /** The signature's text in `encoding`. */
  readonly signature: string;
  readonly algorithm: Algorithm;
  readonly encoding: SignatureEncoding;
  readonly publicKey: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly signedAt: string;
  /** What was signed. */
  readonly payload: Payload;
}
