import { Ed25519Signer } from '../adapters/driven/signer/ed25519-signer.ts';
import { Eip191Signer } from '../adapters/driven/signer/eip191-signer.ts';
import { Eip712Signer } from '../adapters/driven/signer/eip712-signer.ts';
import { HmacSigner } from '../adapters/driven/signer/hmac-signer.ts';
import { HyperliquidL1Signer } from '../adapters/driven/signer/hyperliquid-l1-signer.ts';
import type { SignerTable } from '../ports/signer.ts';

/** One Signer adapter for every algorithm. */
export function createSigners(): SignerTable {
  return {
    ed25519: new Ed25519Signer(),
    eip191: new Eip191Signer(),
    eip712: new Eip712Signer(),
    'hyperliquid-l1': new HyperliquidL1Signer(),
    'hmac-sha256': new HmacSigner('hmac-sha256'),
    'hmac-sha512': new HmacSigner('hmac-sha512'),
  };
}
