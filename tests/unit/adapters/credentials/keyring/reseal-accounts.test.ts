import { expect } from 'chai';
import { MasterKey } from '../../../../../src/adapters/credentials/keyring/master-key.ts';
import { resealAccounts } from '../../../../../src/adapters/credentials/keyring/reseal-accounts.ts';
import {
  type FindMasterKey,
  openSealedKey,
  SEALED_KEY_LENGTHS,
  SealedKeyError,
  sealKey,
} from '../../../../../src/adapters/credentials/sealed-key.ts';
import { getSealingKeyId } from '../../../../../src/adapters/credentials/sealed-key-text.ts';
import { LockedBuffer } from '../../../../../src/adapters/vault/locked-buffer.ts';
import { SodiumKeyStore } from '../../../../../src/adapters/vault/sodium-key-store.ts';
import type {
  CredentialsContent,
  WrittenCredentials,
} from '../../../../../src/domain/configuration/credentials-schema.ts';
import { CredentialLoadError } from '../../../../../src/domain/model/errors.ts';
import { samplePlatform } from '../../../../doubles/credential-builder.ts';
import { testKey } from '../sealed-accounts.ts';

type Entry = CredentialsContent['accounts'][number];

/** Account key lengths, of known algorithms and others. */
const LENGTHS = [32, 32, 20, 1, 64, 32];

describe('Resealing accounts', () => {
  let vault: SodiumKeyStore;
  let old: MasterKey;
  let target: MasterKey;

  beforeEach(() => {
    vault = new SodiumKeyStore();
    old = MasterKey.generate(vault);
    target = MasterKey.generate(vault);
  });
  afterEach(() => vault.purge());

  const keyOf = (index: number) => Buffer.concat([testKey(index), testKey(-index)]).subarray(0, LENGTHS[index]);

  const getFileIdentity = (index: number) =>
    ({ platformId: 'alpha', accountId: `a${index}`, algorithm: 'ed25519', publicKey: `Pub${index}` }) as const;

  function entryOf(index: number, masterKey = old, privateKey: Buffer = keyOf(index)): Entry {
    const identity = getFileIdentity(index);
    const facts = { ...identity, alias: 'A', status: 'active', environment: 'production', createdAt: null } as const;
    return { ...facts, key: { sealed: sealKey(masterKey, identity, privateKey) } };
  }

  function contentOf(...accounts: readonly Entry[]): CredentialsContent {
    return { version: 1, platforms: [samplePlatform()], accounts: [...accounts] };
  }

  function inputOf(content: CredentialsContent): Parameters<typeof resealAccounts>[0] {
    const keyFor: FindMasterKey = (id) => {
      const key = [old, target].find((each) => each.id === id);
      if (key === undefined) throw new SealedKeyError(`is sealed under master key ${id}, which is elsewhere`);
      return key;
    };
    return { location: 'credentials.json', content, written: content as WrittenCredentials, keyFor };
  }

  const whole = () => contentOf(...LENGTHS.map((_, index) => entryOf(index)));

  it('seals keys of every length under the target, and each opens to the same key', () => {
    const input = inputOf(whole());
    const { written, count } = resealAccounts(input, target);
    expect(count).to.equal(LENGTHS.length);
    for (const [index, { key }] of written.accounts.entries()) {
      if (!('sealed' in key)) return expect.fail('It should be sealed.');
      expect(getSealingKeyId(key.sealed)).to.equal(target.id);
      const memory = new LockedBuffer(SEALED_KEY_LENGTHS.max);
      const identity = getFileIdentity(index);
      const opened = openSealedKey(input.keyFor, identity, key.sealed, SEALED_KEY_LENGTHS, memory, (bytes) =>
        Buffer.from(bytes),
      );
      memory.free();
      expect(opened.equals(keyOf(index))).to.equal(true);
    }
  });

  it('names and counts accounts whose keys do not open, and seals nothing', () => {
    const elsewhere = MasterKey.generate(vault);
    const moved = { ...entryOf(0), publicKey: 'SomeoneElses' };
    const strangers = Array.from({ length: 5 }, () => entryOf(1, elsewhere));
    const reseal = () => resealAccounts(inputOf(contentOf(entryOf(0), moved, ...strangers)), target);
    expect(reseal).to.throw(CredentialLoadError, 'accounts[1].key: cannot be opened');
    expect(reseal).to.throw(CredentialLoadError, 'accounts[2].key: is sealed under master key');
    try {
      reseal();
    } catch (error) {
      const { issues } = error as CredentialLoadError;
      expect(issues).to.have.lengthOf(2);
      expect(issues[1]?.message).to.match(/ \(5 of 7 accounts: \S+, \S+, \S+ and 2 more\)$/);
    }
  });
});
