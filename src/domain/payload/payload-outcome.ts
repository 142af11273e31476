import type { Algorithm, DigestAlgorithm } from '../model/algorithm.ts';
import type { Issue } from '../model/errors.ts';
import type { JsonValue } from '../model/json.ts';
import type { FixedValues, Payload, PayloadParts } from '../model/payload.ts';
import { accepted, type Outcome, refused } from '../model/refusal.ts';
import { encodeHex } from '../model/text/byte-encodings.ts';

const encoder = new TextEncoder();

/** UTF-16 code units: four times the longest request, which percent-encoding can triple. */
export const MAX_PAYLOAD_LENGTH = 4 * 2 ** 20;

/** A text's UTF-8 bytes as a payload, if within {@link MAX_PAYLOAD_LENGTH}. */
export function textPayload(text: string, parts: PayloadParts = {}): Payload {
  if (text.length > MAX_PAYLOAD_LENGTH) {
    invalid('data', `must not result in a payload of more than ${MAX_PAYLOAD_LENGTH} characters`);
  }
  return { bytes: encoder.encode(text), text, encoding: 'utf8', parts };
}

/** Bytes as a payload whose text is their hex. */
export function hexPayload(bytes: Uint8Array, parts: PayloadParts): Payload {
  return { bytes, text: encodeHex(bytes), encoding: 'hex', parts };
}

/** Passes through rules alone, which refuse in many depths: `buildPayload` returns an outcome. */
class InvalidData extends Error {
  readonly issue: Issue;

  constructor(issue: Issue) {
    super(issue.message);
    this.issue = issue;
  }
}

/**
 * Ends what {@link toOutcome} does: the value at `path` cannot be signed; `message` says what it
 * must be.
 */
export function invalid(path: string, message: string): never {
  throw new InvalidData({ path, message });
}

/** {@link invalid} for an issue, if there is one. */
export function refuseIf(issue: Issue | undefined): void {
  if (issue !== undefined) throw new InvalidData(issue);
}

/** The result of a function, or the refusal with which {@link invalid} ended it. */
export function toOutcome<Value>(read: () => Value): Outcome<Value, Issue> {
  try {
    return accepted(read());
  } catch (error) {
    if (error instanceof InvalidData) return refused(error.issue);
    throw error;
  }
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
