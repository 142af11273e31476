import type { Algorithm } from './algorithm.ts';
import type { DataFormat } from './data-format.ts';
import type { PayloadRule } from './payload-rule.ts';
import type { SignatureEncoding } from './signature-encoding.ts';

/** An outside platform on which accounts are held, and how its requests are signed. */
export interface Platform {
  readonly platformId: string;
  readonly format: DataFormat;
  /** Algorithms that accounts of this platform may have. */
  readonly algorithms: readonly Algorithm[];
  /** Encoding of signatures; absent: each algorithm's own default (see `platform-defaults.ts`). */
  readonly encoding?: SignatureEncoding;
  readonly payload: PayloadRule;
}
