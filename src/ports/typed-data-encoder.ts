import type { Issue } from '../domain/model/issue.ts';
import type { Outcome } from '../domain/model/outcome.ts';
import type { TypedData } from '../domain/model/typed-data.ts';

/**
 * Encodes typed data of EIP-712 for signing.
 *
 * An adapter MUST encode exactly what it is given and MUST refuse, with an issue that names the place and never the value, whatever it would have to
 * guess: members that the types don't name, missing ones, values outside of their type. It MUST NOT throw for any JSON.
 */
export interface TypedDataEncoder {
  /** `0x19 0x01 ‖ domainSeparator ‖ hashStruct(message)` (EIP-712, "Specification"), 66 bytes. Paths in issues begin with `data`. */
  encode(typedData: TypedData): Outcome<Uint8Array, Issue>;
}
