import { encodeHex } from '../model/text/byte-encodings.ts';

/** EIP-712 domain of Hyperliquid's L1 actions. */
export const EXCHANGE_DOMAIN = {
  name: 'Exchange',
  version: '1',
  chainId: 1337,
  verifyingContract: '0x0000000000000000000000000000000000000000',
} as const;

/** 32 bytes, hex. */
const EXCHANGE_DOMAIN_SEPARATOR = 'd79297fcdf2ffcd4ae223d01edaa2ba214ff8f401d7c9300d995d17c82aa4040';

/**
 * Whether an EIP-712 message of 66 bytes, 0x19 0x01 ‖ domain separator ‖ hash, is of that domain.
 * Signers of other typed data must reject it.
 */
export function isExchangeDomain(message: Uint8Array): boolean {
  return encodeHex(message.subarray(2, 34)) === EXCHANGE_DOMAIN_SEPARATOR;
}

/** Types of the phantom agent, which represents the hash of an action. */
export const AGENT_TYPES = {
  Agent: [
    { name: 'source', type: 'string' },
    { name: 'connectionId', type: 'bytes32' },
  ],
};

/**
 * EIP-712 domain of Hyperliquid's user-signed actions, with the chainId that the signer chooses.
 */
export const USER_SIGNED_DOMAIN = {
  name: 'HyperliquidSignTransaction',
  version: '1',
  verifyingContract: '0x0000000000000000000000000000000000000000',
} as const;

/** Type of the envelope of multi-sig actions in that domain. */
export const MULTI_SIG_TYPE = 'HyperliquidTransaction:SendMultiSig';
