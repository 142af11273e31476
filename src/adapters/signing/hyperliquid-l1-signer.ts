import { isExchangeDomain } from '../../domain/payload/hyperliquid-agent.ts';
import { typedDataDigest } from './eip712-signer.ts';
import { Secp256k1Signer } from './secp256k1-signer.ts';

/**
 * The encoding of an agent with an empty source and the connectionId 0, which is valid in neither
 * network: their sources are `a` and `b`.
 */
const PROBE = Buffer.from(
  '1901d79297fcdf2ffcd4ae223d01edaa2ba214ff8f401d7c9300d995d17c82aa40400f493caa53da6337facdbe72fff6266a715bacd81d9fd8adae10939ce8d368cb',
  'hex',
);

/**
 * Hyperliquid's L1 actions: EIP-712 data of the domain Exchange / 1 / 1337 / 0x0 only, so that what
 * signs orders cannot sign a withdrawal. A named rule may give an account both.
 */
export class HyperliquidL1Signer extends Secp256k1Signer {
  constructor() {
    super({ algorithm: 'hyperliquid-l1', probe: PROBE, getDigest: exchangeDigest });
  }
}

function exchangeDigest(message: Uint8Array): Uint8Array | undefined {
  return isExchangeDomain(message) ? typedDataDigest(message) : undefined;
}
