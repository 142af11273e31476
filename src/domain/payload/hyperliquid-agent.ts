import { hexText } from './hex-text.ts';

/** The EIP-712 domain of Hyperliquid's L1 actions. */
export const EXCHANGE_DOMAIN = {
  name: 'Exchange',
  version: '1',
  chainId: 1337,
  verifyingContract: '0x0000000000000000000000000000000000000000',
} as const;

/** Hex digits of that domain's separator, 32 bytes. */
const EXCHANGE_DOMAIN_SEPARATOR = 'd79297fcdf2ffcd4ae223d01edaa2ba214ff8f401d7c9300d995d17c82aa4040';

/** Whether an EIP-712 message of 66 bytes, 0x19 0x01 ‖ domain separator ‖ hash, is of that domain: who signs typed data for others must not sign it. */
export function isOfExchange(message: Uint8Array): boolean {
  return hexText(message.subarray(2, 34)) === EXCHANGE_DOMAIN_SEPARATOR;
}

/** The type of the phantom agent, which stands for the hash of an action. */
export const AGENT_TYPES = {
  Agent: [
    { name: 'source', type: 'string' },
    { name: 'connectionId', type: 'bytes32' },
  ],
};
