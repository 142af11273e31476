import type { Outcome } from '../domain/model/outcome.ts';
import type { StarknetTypedData } from '../domain/model/payload.ts';
import type { Issue } from '../domain/model/refusal.ts';

/**
 * Encodes SNIP-12 typed data for signing.
 *
 * An adapter MUST encode exactly its input, and MUST refuse whatever it would have to guess:
 * undeclared or missing members, values outside their types. Issues name the path, never the value.
 * It MUST NOT throw for any JSON.
 */
export interface StarknetTypedDataEncoder {
  /**
   * The revision, one byte, and the four field elements whose hash is signed (SNIP-12,
   * "Specification"): the short string "StarkNet Message", the domain's hash, the account and the
   * message's hash, 32 bytes big-endian each; 129 bytes. Paths in issues begin with `data`.
   * @param account the StarkNet address of the account
   */
  encode(typedData: StarknetTypedData, account: bigint): Outcome<Uint8Array, Issue>;
}
