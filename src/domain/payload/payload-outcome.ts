import type { Algorithm, DigestAlgorithm } from '../model/algorithm.ts';
import type { JsonValue } from '../model/json.ts';
import { accepted, type Outcome, type Refused, refused } from '../model/outcome.ts';
import type { Payload, PayloadParts } from '../model/payload.ts';
import type { FixedValues } from '../model/payload-rule.ts';
import type { Issue } from '../model/refusal.ts';

const encoder = new TextEncoder();

/** UTF-16 code units: four times the longest request, which percent-encoding can triple. */
export const MAX_PAYLOAD_LENGTH = 4 * 2 ** 20;

/** A text's UTF-8 bytes as a payload, if within {@link MAX_PAYLOAD_LENGTH}. */
export function textPayload(text: string, parts: PayloadParts = {}): Outcome<Payload, Issue> {
  if (text.length > MAX_PAYLOAD_LENGTH) {
    return invalid('data', `must not result in a payload of more than ${MAX_PAYLOAD_LENGTH} characters`);
  }
  return accepted({ bytes: encoder.encode(text), text, encoding: 'utf8', parts });
}

/** Bytes and their text as a payload. */
export function bytesPayload(payload: Omit<Payload, 'parts'>, parts: PayloadParts = {}): Outcome<Payload, Issue> {
  return accepted({ ...payload, parts });
}

/** The value at `path` cannot be signed; `message` says what it must be. */
export function invalid(path: string, message: string): Refused<Issue> {
  return refused({ path, message });
}

/** What a field must be, and whether it is missing. `wanted` begins with "must". */
export function fieldMessage(value: JsonValue | undefined, wanted: string): string {
  return value === undefined ? `is missing; it ${wanted}` : wanted;
}

/** Pure functions of the ports Hasher and StarknetHasher. */
export interface PayloadTools {
  readonly hasher: { digest(algorithm: DigestAlgorithm, content: Uint8Array): Uint8Array };
  readonly starknet: {
    hash(revision: 0 | 1, felts: readonly bigint[]): bigint;
    hashPair(revision: 0 | 1, first: bigint, second: bigint): bigint;
  };
}

/** What a payload rule needs in addition to `data` and its options. */
export interface PayloadContext extends PayloadTools {
  /** The account's fixed values; a rule's own are the defaults. */
  readonly values: FixedValues;
  /** That signs the payload. */
  readonly algorithm: Algorithm;
}
