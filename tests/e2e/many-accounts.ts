import { createPrivateKey, createPublicKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { FileCredentialSource } from '../../src/adapters/credentials/file-credential-source.ts';
import { Keyring } from '../../src/adapters/credentials/keyring/keyring.ts';
import { MasterKeyAdministration } from '../../src/adapters/credentials/keyring/master-key-administration.ts';
import { SodiumKeyStore } from '../../src/adapters/vault/sodium-key-store.ts';
import { allAccounts } from '../doubles/all-accounts.ts';
import { FixedWrappingKeys } from '../doubles/fixed-wrapping-keys.ts';
import { TypedPassphrases } from '../doubles/typed-passphrases.ts';
import { bs58 } from '../harness/base58.ts';
import { AccountMaker } from '../harness/generated-accounts.ts';
import type { Workplace } from '../harness/service-process.ts';

/** Algorithms with generated keys. */
type Made = Parameters<AccountMaker['make']>[0]['algorithm'];

/** Public key of an Ed25519 seed (RFC 8410) by OpenSSL, base58. */
function publicKeyOf(seed: Uint8Array): string {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const publicKey = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  return bs58.encode(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
}

/**
 * Writes a credentials file with accounts of alternating algorithms, sealed under the plain master
 * key.
 */
export function writeAccounts(
  place: Workplace,
  count: number,
  algorithms: readonly [Made, ...Made[]] = ['ed25519'],
): void {
  const maker = new AccountMaker(place.path('master.key'));
  const accounts = Array.from({ length: count }, (_, index) =>
    maker.make({
      platformId: 'alpha',
      accountId: `account-${index}`,
      algorithm: algorithms[index % algorithms.length] ?? algorithms[0],
    }),
  );
  maker.close();
  const content = { version: 1, platforms: [{ platformId: 'alpha', format: 'any' }], accounts };
  writeFileSync(place.path('credentials.json'), JSON.stringify(content, null, 2), { mode: 0o600 });
}

function keyringOf(place: Workplace, vault: SodiumKeyStore): Keyring {
  const [prompt, wrappingKeys] = [new TypedPassphrases(), new FixedWrappingKeys()];
  return new Keyring({ file: place.path('master.key'), vault: async () => vault, prompt, wrappingKeys });
}

/** `master-key` commands in this process. */
export function masterKeysOf(place: Workplace): MasterKeyAdministration {
  return new MasterKeyAdministration(place.path('credentials.json'), keyringOf(place, new SodiumKeyStore()));
}

/** Loads the configuration and counts accounts whose key matches their public key. */
export async function countIntactAccounts(place: Workplace): Promise<number> {
  const vault = new SodiumKeyStore();
  const keyring = keyringOf(place, vault);
  const file = place.path('credentials.json');
  const source = new FileCredentialSource({ file, keyring, allowPlaintextKeys: false, production: true });
  const set = await source.load();
  try {
    const accounts = await allAccounts(set);
    const publicKeys = accounts.map((each) => set.withPrivateKey(each, publicKeyOf));
    return accounts.filter(({ account: { publicKey } }, index) => publicKey === publicKeys[index]).length;
  } finally {
    set.close();
    vault.purge();
  }
}
