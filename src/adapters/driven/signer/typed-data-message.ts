import { keccak256 } from './keccak-256.ts';

/** 0x19 0x01 ‖ domainSeparator ‖ hashStruct(message), see EIP-712. */
const MESSAGE_BYTES = 66;

/** The 32-byte digest of EIP-712 typed data as {@link TypedDataEncoder} encodes it, 66 bytes; undefined for anything else. */
export function typedDataDigest(message: Uint8Array): Uint8Array | undefined {
  const isTypedData = message.length === MESSAGE_BYTES && message[0] === 0x19 && message[1] === 0x01;
  return isTypedData ? keccak256(message) : undefined;
}
