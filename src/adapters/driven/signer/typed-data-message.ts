import { getBytes, keccak256 } from 'ethers';
import { EXCHANGE_DOMAIN_SEPARATOR } from '../../../domain/payload/hyperliquid-agent.ts';

const EXCHANGE = Buffer.from(EXCHANGE_DOMAIN_SEPARATOR, 'hex');

/** 0x19 0x01 ‖ domainSeparator ‖ hashStruct(message), see EIP-712. */
const MESSAGE_BYTES = 66;

const DOMAIN_OFFSET = 2;
const STRUCT_OFFSET = 34;

/** The 32-byte digest of EIP-712 typed data as {@link TypedDataEncoder} encodes it, 66 bytes; undefined for anything else. */
export function typedDataDigest(message: Uint8Array): Uint8Array | undefined {
  const isTypedData = message.length === MESSAGE_BYTES && message[0] === 0x19 && message[1] === 0x01;
  return isTypedData ? getBytes(keccak256(message)) : undefined;
}

/** Whether an encoded message of 66 bytes is of the domain of Hyperliquid's L1 actions. */
export function isOfExchange(message: Uint8Array): boolean {
  return EXCHANGE.equals(message.subarray(DOMAIN_OFFSET, STRUCT_OFFSET));
}
