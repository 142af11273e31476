import type { FixedValues } from './fixed-values.ts';

/** How a payload's text stands for its bytes. */
export type PayloadEncoding = 'utf8' | 'hex' | 'base64';

/** Texts that a rule made of objects in `data`, converted, or took from the configuration, and that the caller has to send exactly so. */
export interface PayloadParts {
  readonly timestamp?: string;
  /** Without a leading `?`. */
  readonly query?: string;
  readonly body?: string;
  /** The account's fixed values that were signed, by name. */
  readonly values?: FixedValues;
}

/** The exact bytes that get signed. */
export interface Payload {
  readonly bytes: Uint8Array;
  /** The same as text: UTF-8, or the hex or base64 text of a payload that is no text. */
  readonly text: string;
  readonly encoding: PayloadEncoding;
  /** Absent where the payload's own text is all that the caller has to send. */
  readonly parts?: PayloadParts;
}
