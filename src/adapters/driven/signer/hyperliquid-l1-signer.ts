import { ZeroHash } from 'ethers/constants';
import { TypedDataEncoder } from 'ethers/hash';
import { getBytes } from 'ethers/utils';
import { AGENT_TYPES, EXCHANGE_DOMAIN, isOfExchange } from '../../../domain/payload/hyperliquid-agent.ts';
import { Secp256k1Signer } from './secp256k1-signer.ts';
import { typedDataDigest } from './typed-data-message.ts';

/** Networks have the sources `a` and `b`: an agent without one is of neither. */
const NO_AGENT = { source: '', connectionId: ZeroHash };

/**
 * Hyperliquid's L1 actions: EIP-712 typed data of the one domain Exchange / 1 / 1337 / 0x0, so that a key that trades signs no withdrawal, which is of
 * another domain, and nothing for any other contract. ethers sees messages and digests only, never a key.
 */
export class HyperliquidL1Signer extends Secp256k1Signer {
  constructor() {
    super({
      algorithm: 'hyperliquid-l1',
      probe: getBytes(TypedDataEncoder.encode(EXCHANGE_DOMAIN, AGENT_TYPES, NO_AGENT)),
      digestOf: exchangeDigest,
    });
  }
}

function exchangeDigest(message: Uint8Array): Uint8Array | undefined {
  return isOfExchange(message) ? typedDataDigest(message) : undefined;
}
