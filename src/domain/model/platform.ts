import type { Algorithm } from './algorithm.ts';
import type { DataFormat } from './data-format.ts';
import type { PayloadRule } from './payload-rule.ts';
import type { SecretDecoding } from './secret-decoding.ts';
import type { SignatureEncoding } from './signature-encoding.ts';

/** What a platform's audit records may show of the data of its requests. */
export interface PlatformAudit {
  /**
   * Dotted paths of members that may stand in clear: `amount`, `instruction.price`. Each name is an own member of an object; a path goes through no
   * array, and clears a number, a boolean or a short plain text, never a whole object or array.
   */
  readonly clear: readonly string[];
}

/** What callers may have verified, see `POST /verify`. */
export interface PlatformVerify {
  /** Also message authentication codes: whoever may ask whether one is right learns what the holder of the secret alone should know. */
  readonly mac: boolean;
}

/** An outside platform on which accounts are held, and how its requests are signed. */
export interface Platform {
  readonly platformId: string;
  readonly format: DataFormat;
  /** Algorithms that accounts of this platform may have. */
  readonly algorithms: readonly Algorithm[];
  /** Encoding of signatures; absent: each algorithm's own default (see `platform-defaults.ts`). */
  readonly encoding?: SignatureEncoding;
  readonly payload: PayloadRule;
  /** What audit records show beside the format's own allowlist; absent: nothing (see `domain/payload/mask-data.ts`). */
  readonly audit?: PlatformAudit;
  /** How the secrets of its HMAC accounts are made of their texts; absent: `utf8`. */
  readonly secretDecoding?: SecretDecoding;
  /** Absent: signatures with a public key alone are verified. */
  readonly verify?: PlatformVerify;
}
