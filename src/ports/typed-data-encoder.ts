import type { Outcome } from '../domain/model/outcome.ts';
import type { TypedData } from '../domain/model/payload.ts';
import type { Issue } from '../domain/model/refusal.ts';

/**
 * Encodes EIP-712 typed data for signing.
 *
 * An adapter MUST encode exactly its input, and MUST refuse whatever it would have to guess:
 * undeclared or missing members, values outside their types. Issues name the path, never the value.
 * It MUST NOT throw for any JSON.
 */
export interface TypedDataEncoder {
  /**
   * `0x19 0x01 ‖ domainSeparator ‖ hashStruct(message)` (EIP-712, "Specification"), 66 bytes. Paths
   * in issues begin with `data`.
   */
  encode(typedData: TypedData): Outcome<Uint8Array, Issue>;
}
