import { ALGORITHMS, type Algorithm, type MacAlgorithm } from '../domain/model/algorithm.ts';
import type { Signer, SignerTable } from '../ports/signer.ts';

type SignerLoaders = { readonly [Name in Algorithm]: () => Promise<Signer> };

const LOADERS: SignerLoaders = {
  ed25519: async () => new (await import('../adapters/signing/ed25519-signer.ts')).Ed25519Signer(),
  eip191: async () => new (await import('../adapters/signing/eip191-signer.ts')).Eip191Signer(),
  eip712: async () => new (await import('../adapters/signing/eip712-signer.ts')).Eip712Signer(),
  'hyperliquid-l1': async () =>
    new (await import('../adapters/signing/hyperliquid-l1-signer.ts')).HyperliquidL1Signer(),
  'hmac-sha256': () => loadHmacSigner('hmac-sha256'),
  'hmac-sha384': () => loadHmacSigner('hmac-sha384'),
  'hmac-sha512': () => loadHmacSigner('hmac-sha512'),
  starknet: async () => new (await import('../adapters/signing/starknet-signer.ts')).StarknetSigner(),
  'rsa-sha256': async () => new (await import('../adapters/signing/rsa-signer.ts')).RsaSigner(),
  cosmos: async () => new (await import('../adapters/signing/cosmos-signer.ts')).CosmosSigner(),
  es256: async () => new (await import('../adapters/signing/es256-signer.ts')).Es256Signer(),
};

const loaded = new Map<Algorithm, Promise<Signer>>();

/** The Signer of an algorithm, for commands, which work with few accounts. */
export function loadSigner(algorithm: Algorithm): Promise<Signer> {
  const signer = loaded.get(algorithm) ?? LOADERS[algorithm]();
  loaded.set(algorithm, signer);
  return signer;
}

/** All of them, for the service: it tests each one, and loads nothing while it signs. */
export async function loadSigners(): Promise<SignerTable> {
  const signers = await Promise.all(
    ALGORITHMS.map(async (algorithm) => [algorithm, await loadSigner(algorithm)] as const),
  );
  return Object.fromEntries(signers) as SignerTable;
}

async function loadHmacSigner(algorithm: MacAlgorithm): Promise<Signer> {
  return new (await import('../adapters/signing/hmac-signer.ts')).HmacSigner(algorithm);
}
