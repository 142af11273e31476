import { expect } from 'chai';
import { SodiumKeyStore } from '../../../../src/adapters/vault/sodium-key-store.ts';
import type { Account } from '../../../../src/domain/model/account.ts';
import type { ConfiguredAccount } from '../../../../src/domain/model/configured-account.ts';
import { InvalidPrivateKeyError } from '../../../../src/domain/model/errors.ts';
import { admitKey, toAccount, toKeyId } from '../../../../src/domain/services/key-admission.ts';
import type { CredentialAccount } from '../../../../src/ports/credential-source.ts';
import { alteredSigner } from '../../../doubles/altered-signer.ts';
import { samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { MockKeyStore } from '../../../doubles/mock-key-store.ts';
import { SIGNERS } from './signing-workbench.ts';

const IDENTITY = { platformId: 'alpha', accountId: 'main', algorithm: 'ed25519' } as const;

describe('admitKey', () => {
  for (const algorithm of ['ed25519', 'hmac-sha256'] as const) {
    const signer = SIGNERS[algorithm];
    const identity = { ...IDENTITY, algorithm };
    const key = samplePrivateKey(5, algorithm);

    it(`discards a key for ${algorithm} whose signature does not verify, and reports it`, () => {
      const store = new MockKeyStore();
      const misprinting = alteredSigner(signer, {
        sign: (...call) => {
          const signature = signer.sign(...call);
          return signature.slice(0, -1) + (signature.endsWith('b') ? 'c' : 'b');
        },
      });
      expect(() => admitKey(store, misprinting, identity, key)).to.throw(InvalidPrivateKeyError, /self-test/);
      expect(store.calls.at(-1)).to.deep.equal({ call: 'discard', identity });
    });
  }

  it('admits only the key of an expected public key, as derived from the store', () => {
    const admit = (store: MockKeyStore, number: number, expected: string | null) =>
      admitKey(store, SIGNERS.ed25519, IDENTITY, samplePrivateKey(number), expected);
    const { publicKey } = admit(new MockKeyStore(), 5, null);
    const store = new MockKeyStore();
    expect(admit(store, 5, publicKey).publicKey).to.equal(publicKey);
    expect(store.calls.map(({ call }) => call)).to.deep.equal(['create', 'use']);
    expect(() => admit(store, 6, publicKey)).to.throw(InvalidPrivateKeyError, /does not match/);
    expect(store.calls.at(-1)).to.deep.equal({ call: 'discard', identity: IDENTITY });
  });

  it('uses all of an HMAC secret of 1 to 1024 bytes, and rejects others', () => {
    const store = new SodiumKeyStore();
    const algorithm = 'hmac-sha256';
    const admit = (secret: Uint8Array) => admitKey(store, SIGNERS[algorithm], { ...IDENTITY, algorithm }, secret);
    for (const length of [1, 64, 65, 1024]) {
      const secret = new Uint8Array(length).fill(0x5a);
      const { publicKey } = admit(secret);
      expect(publicKey).to.match(/^hmac:[0-9a-f]{16}$/);
      for (const at of [0, length - 1]) expect(admit(secret.with(at, 0x5b)).publicKey).not.to.equal(publicKey);
    }
    for (const length of [0, 1025]) expect(() => admit(new Uint8Array(length))).to.throw();
    store.purge();
  });

  it('names an HMAC key by its ID, and a public key by its digest', () => {
    const hasher = { sha256: () => `sha256:${'0123456789abcdef'.repeat(4)}` };
    const publicKey = 'hmac:fedcba9876543210';
    expect(toKeyId(hasher, { algorithm: 'hmac-sha384', publicKey })).to.equal(publicKey);
    expect(toKeyId(hasher, { algorithm: 'es256', publicKey: 'any' })).to.equal('0123456789abcdef');
  });

  it('rejects a key that is invalid for the algorithm before it is used', () => {
    const store = new MockKeyStore();
    const identity = { ...IDENTITY, algorithm: 'eip191' } as const;
    expect(() => admitKey(store, SIGNERS.eip191, identity, new Uint8Array(32))).to.throw(InvalidPrivateKeyError);
    expect(store.calls.filter(({ call }) => call === 'use')).to.deep.equal([]);
  });
});

/** Of a configured account. */
type More = Partial<ConfiguredAccount> & { readonly keyRevision?: string };

function credential(number: number, { keyRevision, ...more }: More = {}): CredentialAccount {
  const account = {
    platformId: 'alpha',
    accountId: `account-${number}`,
    alias: 'Main',
    status: 'active',
    environment: 'test',
    algorithm: 'ed25519',
    publicKey: null,
    createdAt: null,
    key: { file: '-' },
    ...more,
  } as const;
  return { account, path: `accounts[${number}]`, keyRevision };
}

function admitted(number: number, more: More = {}): Account {
  const key = { handle: { id: `key-${number}` }, publicKey: `public-${number}`, keyId: `id-${number}` };
  return toAccount(credential(number, more), '2026-11-20T00:00:00.000Z', key);
}

describe('toAccount', () => {
  it('returns the configured account with the given time and key, and only the options that it has', () => {
    const account = {
      platformId: 'alpha',
      accountId: 'account-7',
      alias: 'Main',
      status: 'active',
      environment: 'test',
      algorithm: 'ed25519',
      publicKey: 'public-7',
      createdAt: '2026-11-20T00:00:00.000Z',
      key: { id: 'key-7' },
      keyId: 'id-7',
    };
    expect(admitted(7)).to.deep.equal(account);
    const options = { overlapSeconds: 60, values: { vault: '0x00' }, keyRevision: 'v1.a' };
    expect(admitted(7, options)).to.deep.equal({ ...account, ...options });
  });
});
