import { ALGORITHM_ROWS, ALGORITHMS, type Algorithm, type KeyKind } from '../domain/model/algorithm.ts';
import type { Signer, SignerTable } from '../ports/signer.ts';

const LOADERS: { readonly [Keys in KeyKind]: (algorithm: Algorithm) => Promise<Signer> } = {
  ed25519: async () => new (await import('../adapters/signing/ed25519-signer.ts')).Ed25519Signer(),
  secp256k1: async (name) => new (await import('../adapters/signing/secp256k1-signer.ts')).Secp256k1Signer(name),
  p256: async () => new (await import('../adapters/signing/es256-signer.ts')).Es256Signer(),
  stark: async () => new (await import('../adapters/signing/starknet-signer.ts')).StarknetSigner(),
  rsa: async () => new (await import('../adapters/signing/rsa-signer.ts')).RsaSigner(),
  secret: async (name) => new (await import('../adapters/signing/hmac-signer.ts')).HmacSigner(name),
};

const loaded = new Map<Algorithm, Promise<Signer>>();

/** The Signer of an algorithm, for commands, which work with few accounts. */
export function loadSigner(algorithm: Algorithm): Promise<Signer> {
  const signer = loaded.get(algorithm) ?? LOADERS[ALGORITHM_ROWS[algorithm].keys](algorithm);
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
