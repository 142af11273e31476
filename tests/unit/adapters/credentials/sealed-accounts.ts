import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { FileCredentialSource } from '../../../../src/adapters/credentials/file-credential-source.ts';
import { allAccounts } from '../../../doubles/all-accounts.ts';
import type { CredentialsWorkplace } from './credentials-workplace.ts';

const PLATFORM = { platformId: 'alpha', format: 'any' };

/** A 32-byte test key for an index. */
export function testKey(index: number): Buffer {
  return createHash('sha256').update(`test key ${index}`).digest();
}

/** Writes sealed accounts, the last one after one with a key file. */
export function writeSealedAccounts(workplace: CredentialsWorkplace, count: number): void {
  writeFileSync(workplace.path('plain.key'), testKey(-1));
  const sealed = Array.from({ length: count }, (_, index) => {
    const identity = {
      platformId: 'alpha',
      accountId: `account-${index}`,
      algorithm: index % 2 === 0 ? 'ed25519' : 'eip191',
      publicKey: `PublicKey${index}`,
    } as const;
    return { ...identity, key: { sealed: workplace.seal(identity, testKey(index)) } };
  });
  const plain = {
    platformId: 'alpha',
    accountId: 'plain',
    algorithm: 'ed25519',
    key: { file: 'plain.key', format: 'raw' },
  };
  workplace.write({
    version: 1,
    platforms: [PLATFORM],
    accounts: [...sealed.slice(0, -1), plain, ...sealed.slice(-1)],
  });
}

/** Loaded private keys, hex, in file order. */
export async function loadKeys(source: FileCredentialSource): Promise<readonly string[]> {
  const set = await source.load();
  const keys: string[] = [];
  try {
    for (const account of await allAccounts(set)) {
      keys.push(set.withPrivateKey(account, (key) => Buffer.from(key).toString('hex')));
    }
    return keys;
  } finally {
    set.close();
  }
}
