import type { DigestAlgorithm } from '../model/digest-algorithm.ts';
import type { FixedValues } from '../model/fixed-values.ts';
import type { Issue } from '../model/issue.ts';
import type { Outcome } from '../model/outcome.ts';
import type { TypedData } from '../model/typed-data.ts';

/** Pure functions that payload rules can't do themselves and are lent; the ports Hasher and TypedDataEncoder have them. */
export interface PayloadTools {
  readonly hasher: { digest(algorithm: DigestAlgorithm, content: Uint8Array): Uint8Array };
  readonly typedData: { encode(typedData: TypedData): Outcome<Uint8Array, Issue> };
}

/** What a payload rule needs beside `data` and its options. */
export interface PayloadContext extends PayloadTools {
  /** The account's own values; a rule's own stand in where it has none. */
  readonly values: FixedValues;
}
