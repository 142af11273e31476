import { expect } from 'chai';
import { MasterKey } from '../../../../src/adapters/credentials/keyring/master-key.ts';
import {
  type FindMasterKey,
  openSealedKey,
  SEALED_KEY_LENGTHS,
  SealedKeyError,
  type SealedKeyIdentity,
  sealKey,
} from '../../../../src/adapters/credentials/sealed-key.ts';
import { getSealingKeyId } from '../../../../src/adapters/credentials/sealed-key-text.ts';
import { LockedBuffer } from '../../../../src/adapters/vault/locked-buffer.ts';
import type { KeyLengths } from '../../../../src/domain/model/account.ts';
import { SEALED_KEY_PATTERN } from '../../../../src/domain/model/configured-account.ts';
import { useWorkplace } from './credentials-workplace.ts';
import { openWithOpenssl } from './xchacha-by-openssl.ts';

const IDENTITY: SealedKeyIdentity = {
  platformId: 'alpha',
  accountId: 'main',
  algorithm: 'ed25519',
  publicKey: 'PublicKeyOfTheAccount',
};
const PRIVATE_KEY = Buffer.from('4f3edf983ac636a65a842ce7c78d9aa706d3b113bce9c46f30d7d21715b23b1d', 'hex');

/** The same master key for every id. */
function only(masterKey: MasterKey): FindMasterKey {
  return () => masterKey;
}

describe('A sealed key', () => {
  const workplace = useWorkplace();
  let masterKey: MasterKey;
  let memory: LockedBuffer;
  let sealed: string;

  beforeEach(() => {
    masterKey = workplace().masterKey;
    memory = new LockedBuffer(PRIVATE_KEY.length);
    sealed = sealKey(masterKey, IDENTITY, PRIVATE_KEY);
  });
  afterEach(() => {
    memory.free();
  });

  function open(text: string, identity: SealedKeyIdentity = IDENTITY): Buffer {
    return openSealedKey(only(masterKey), identity, text, { min: 32, max: 32 }, memory, (key) => Buffer.from(key));
  }

  function failure(action: () => unknown): string {
    try {
      action();
    } catch (error) {
      expect(error).to.be.instanceOf(SealedKeyError);
      return (error as Error).message;
    }
    return expect.fail('It should not have opened.');
  }

  it('opens to the key, and consists of v1, the master key id, and in base64url nonce, and key with tag', () => {
    expect(open(sealed).equals(PRIVATE_KEY)).to.equal(true);
    expect(sealed).to.match(/^v1\.[0-9a-f]{16}\.[\w-]{32}\.[\w-]{64}$/);
    expect(getSealingKeyId(sealed)).to.equal(masterKey.id);
  });

  it('opens with another XChaCha20-Poly1305 implementation and the specified associated data', () => {
    const [, , nonce = '', ciphertext = ''] = sealed.split('.');
    const opened = openWithOpenssl(
      Buffer.from(workplace().ring().trim(), 'hex'),
      Buffer.from(nonce, 'base64url'),
      Buffer.from(ciphertext, 'base64url'),
      '["signing-service/sealed-key/v1","alpha","main","ed25519","PublicKeyOfTheAccount"]',
    );
    expect(opened.equals(PRIVATE_KEY)).to.equal(true);
  });

  it('does not open for another account, algorithm or public key, also if their texts joined are the same', () => {
    for (const other of [
      { platformId: 'beta' },
      { accountId: 'other' },
      { algorithm: 'eip191' },
      { publicKey: 'AnotherPublicKey' },
      { platformId: 'alpham', accountId: 'ain' },
      { platformId: 'alpha","main', accountId: '' },
    ] as const) {
      expect(failure(() => open(sealed, { ...IDENTITY, ...other }))).to.include('cannot be opened');
    }
  });

  it('opens to keys of any length within the bounds, in a buffer for the longest', () => {
    const longest = new LockedBuffer(SEALED_KEY_LENGTHS.max);
    for (const length of [1, 33, 2400]) {
      const key = Buffer.from(Array.from({ length }, (_, index) => index & 0xff));
      const text = sealKey(masterKey, IDENTITY, key);
      const openWithin = (lengths: KeyLengths) =>
        openSealedKey(only(masterKey), IDENTITY, text, lengths, longest, (bytes) => Buffer.from(bytes));
      expect(openWithin(SEALED_KEY_LENGTHS)).to.deep.equal(key);
      for (const lengths of [
        { min: 1, max: length - 1 },
        { min: length + 1, max: 2000 },
      ]) {
        expect(failure(() => openWithin(lengths))).to.include(`has ${length} bytes, but a key of this algorithm has `);
      }
    }
    expect(longest.use((bytes) => [...bytes].every((byte) => byte === 0))).to.equal(true);
    longest.free();
  });

  it('is invalid for a key of 0 bytes or of more than 2400', () => {
    for (const length of [0, 2401])
      expect(() => sealKey(masterKey, IDENTITY, Buffer.alloc(length))).to.throw(RangeError);
    const parts = sealed.slice(0, sealed.lastIndexOf('.'));
    const isValid = (length: number) =>
      SEALED_KEY_PATTERN.test(`${parts}.${Buffer.alloc(length + 16).toString('base64url')}`);
    expect([0, 1, 2400, 2401].map(isValid)).to.deep.equal([false, true, true, false]);
  });

  it('does not open under another master key, even if its text names that one', () => {
    const other = MasterKey.generate(workplace().vault);
    const renamed = sealed.replace(masterKey.id, other.id);
    const openRenamed = () =>
      openSealedKey(only(other), IDENTITY, renamed, { min: 32, max: 32 }, memory, () => 'reached');
    expect(failure(openRenamed)).to.include('cannot be opened');
  });

  const malformed: readonly (readonly [string, (text: string) => string])[] = [
    ['another version', (text) => text.replace('v1.', 'v2.')],
    ['a line feed behind it', (text) => `${text}\n`],
    ['the other base64 alphabet', (text) => `${text.slice(0, -4)}+/+/`],
    ['no room for a tag', (text) => `${text.slice(0, text.lastIndexOf('.'))}.${'A'.repeat(20)}`],
    ['stray bits at the end', (text) => `${text.slice(0, text.lastIndexOf('.'))}.${'A'.repeat(63)}B${'AB'}`],
  ];
  for (const [name, spoil] of malformed) {
    it(`is rejected with ${name}`, () => {
      expect(failure(() => open(spoil(sealed)))).to.include('is not a sealed key');
    });
  }

  it('leaves nothing in memory after use, a failure to open or an error of the callback', () => {
    const expectWiped = () => expect(memory.use((bytes) => bytes.every((byte) => byte === 0))).to.equal(true);
    open(sealed);
    expectWiped();
    failure(() => open(sealed, { ...IDENTITY, accountId: 'other' }));
    expectWiped();
    const fail = () => {
      throw new RangeError('from the callback');
    };
    expect(() => openSealedKey(only(masterKey), IDENTITY, sealed, { min: 32, max: 32 }, memory, fail)).to.throw(
      RangeError,
    );
    expectWiped();
  });
});
