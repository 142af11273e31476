import type { Issue } from './issue.ts';

/** How a payload's text stands for its bytes. */
export type PayloadEncoding = 'utf8' | 'hex' | 'base64';

/** The exact bytes that get signed. */
export interface Payload {
  readonly bytes: Uint8Array;
  /** The same as text: UTF-8, or the hex or base64 text of a `raw` payload that the caller gave so. */
  readonly text: string;
  readonly encoding: PayloadEncoding;
}

/** A payload, or the field of `data` to which the rule can't be applied. A rule never guesses. */
export type PayloadOutcome =
  | { readonly ok: true; readonly payload: Payload }
  | { readonly ok: false; readonly issue: Issue };
