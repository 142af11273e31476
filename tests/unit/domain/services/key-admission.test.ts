import { setFlagsFromString } from 'node:v8';
import bs58 from 'bs58';
import { expect } from 'chai';
import { SodiumKeyStore } from '../../../../src/adapters/vault/sodium-key-store.ts';
import type { Account } from '../../../../src/domain/model/account.ts';
import { ALGORITHMS, MAC_ALGORITHMS } from '../../../../src/domain/model/algorithm.ts';
import { InvalidPrivateKeyError, KeyUnavailableError } from '../../../../src/domain/model/errors.ts';
import { admitKey, toAccount } from '../../../../src/domain/services/key-admission.ts';
import type { CredentialAccount } from '../../../../src/ports/credential-source.ts';
import { alteredSigner } from '../../../doubles/altered-signer.ts';
import { samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { MockKeyStore } from '../../../doubles/mock-key-store.ts';
import { RFC_8032_VECTORS } from '../../../vectors/rfc-8032.ts';
import { isValidSignature } from './is-valid-signature.ts';
import { SIGNERS } from './signing-workbench.ts';

const IDENTITY = { platformId: 'alpha', accountId: 'main', algorithm: 'ed25519' } as const;

describe('admitKey', () => {
  for (const algorithm of ALGORITHMS) {
    it(`admits an ${algorithm} key for the account, and returns the public key it signs for`, () => {
      const store = new MockKeyStore();
      const identity = { ...IDENTITY, algorithm };
      const { handle, publicKey } = admitKey(store, SIGNERS[algorithm], identity, samplePrivateKey(5, algorithm));
      expect(store.calls[0]).to.deep.equal({ call: 'create', identity });
      expect(store.calls.map(({ call }) => call)).not.to.include('discard');

      const message = SIGNERS[algorithm].probe;
      const signature = store.use(handle, (key) => SIGNERS[algorithm].sign(key, message, 'hex'));
      const released = { signature, algorithm, encoding: 'hex', publicKey } as const;
      expect(isValidSignature(released, message, samplePrivateKey(5, algorithm))).to.equal(true);
    });

    it(`discards an ${algorithm} key whose signature does not verify, and reports it`, () => {
      const store = new MockKeyStore();
      const identity = { ...IDENTITY, algorithm };
      const honest = SIGNERS[algorithm];
      const misprinting = alteredSigner(honest, {
        sign: (key, message, encoding) => {
          const signature = honest.sign(key, message, encoding);
          return signature.slice(0, -1) + (signature.endsWith('b') ? 'c' : 'b');
        },
      });
      expect(() => admitKey(store, misprinting, identity, samplePrivateKey(1, algorithm))).to.throw(
        InvalidPrivateKeyError,
        /self-test/,
      );
      expect(store.calls.at(-1)).to.deep.equal({ call: 'discard', identity });
      expect(() => store.use({ id: 'mock-key-1' }, () => undefined)).to.throw(KeyUnavailableError);
    });
  }

  describe('with an expected public key', () => {
    for (const algorithm of ALGORITHMS) {
      it(`admits only the ${algorithm} key it belongs to, as returned by the store`, () => {
        const identity = { ...IDENTITY, algorithm };
        const admit = (store: MockKeyStore, key: Uint8Array, expected: string | null) =>
          admitKey(store, SIGNERS[algorithm], identity, key, expected);
        const { publicKey } = admit(new MockKeyStore(), samplePrivateKey(5, algorithm), null);
        const store = new MockKeyStore();
        expect(admit(store, samplePrivateKey(5, algorithm), publicKey).publicKey).to.equal(publicKey);
        expect(store.calls.map(({ call }) => call)).to.deep.equal(['create', 'use']);
        expect(() => admit(store, samplePrivateKey(6, algorithm), publicKey)).to.throw(
          InvalidPrivateKeyError,
          /does not match/,
        );
        expect(store.calls.at(-1)).to.deep.equal({ call: 'discard', identity });
      });
    }
  });

  it('derives the public keys published in RFC 8032', () => {
    for (const { name, seed, publicKey } of RFC_8032_VECTORS) {
      const admitted = admitKey(new MockKeyStore(), SIGNERS.ed25519, IDENTITY, Buffer.from(seed, 'hex'));
      expect(Buffer.from(bs58.decode(admitted.publicKey)).toString('hex'), name).to.equal(publicKey);
    }
  });

  describe('of an HMAC secret', () => {
    let store: SodiumKeyStore;

    beforeEach(() => {
      store = new SodiumKeyStore();
    });
    afterEach(() => store.purge());

    for (const algorithm of MAC_ALGORITHMS) {
      const admit = (secret: Uint8Array) => admitKey(store, SIGNERS[algorithm], { ...IDENTITY, algorithm }, secret);

      for (const length of [1, 31, 64, 65, 128, 129, 1024]) {
        it(`admits ${length} bytes for ${algorithm}, and uses all of them`, () => {
          const secret = new Uint8Array(length).fill(0x5a);
          const { handle, publicKey } = admit(secret);
          const message = Buffer.from('message');
          const signature = store.use(handle, (key) => SIGNERS[algorithm].sign(key, message, 'base64'));
          const released = { signature, algorithm, encoding: 'base64', publicKey } as const;
          expect(isValidSignature(released, message, secret)).to.equal(true);
          for (const at of [0, length - 1]) expect(admit(secret.with(at, 0x5b)).publicKey).not.to.equal(publicKey);
        });
      }

      it(`rejects an empty one and one of 1025 bytes for ${algorithm}`, () => {
        for (const length of [0, 1025]) expect(() => admit(new Uint8Array(length))).to.throw();
      });
    }

    it('derives a different identifier per algorithm, so that equal secrets do not show', () => {
      const [first, second] = MAC_ALGORITHMS.map(
        (algorithm) => admitKey(store, SIGNERS[algorithm], { ...IDENTITY, algorithm }, samplePrivateKey(1)).publicKey,
      );
      expect(first).to.match(/^hmac:[0-9a-f]{16}$/);
      expect(second)
        .to.match(/^hmac:[0-9a-f]{16}$/)
        .and.not.to.equal(first);
    });
  });

  it('rejects a key that is invalid for the algorithm, and stores nothing', () => {
    for (const algorithm of ['eip191', 'eip712', 'hyperliquid-l1'] as const) {
      const store = new MockKeyStore();
      const identity = { ...IDENTITY, algorithm };
      expect(() => admitKey(store, SIGNERS[algorithm], identity, new Uint8Array(32))).to.throw(InvalidPrivateKeyError);
      expect(store.calls.filter(({ call }) => call === 'use')).to.deep.equal([]);
    }
  });

  it('discards a key that cannot sign, and passes the error on', () => {
    const store = new MockKeyStore();
    const cause = new RangeError('out of order');
    const throwing = alteredSigner(SIGNERS.ed25519, {
      sign: () => {
        throw cause;
      },
    });
    expect(() => admitKey(store, throwing, IDENTITY, samplePrivateKey(1))).to.throw(cause);
    expect(store.calls.at(-1)).to.deep.equal({ call: 'discard', identity: IDENTITY });
  });

  it('leaves the private key unchanged', () => {
    for (const algorithm of ALGORITHMS) {
      const privateKey = Uint8Array.from(samplePrivateKey(9, algorithm));
      admitKey(new MockKeyStore(), SIGNERS[algorithm], { ...IDENTITY, algorithm }, privateKey);
      expect(privateKey).to.deep.equal(Uint8Array.from(samplePrivateKey(9, algorithm)));
    }
  });
});

/** Enough for V8 to optimize the code, which may then make other objects. */
const MANY = 5000;

function credential(number: number, more: Partial<CredentialAccount> = {}): CredentialAccount {
  return {
    platformId: 'alpha',
    accountId: `account-${number}`,
    alias: 'Main',
    status: 'active',
    environment: 'test',
    algorithm: 'ed25519',
    publicKey: null,
    createdAt: null,
    path: `accounts[${number}]`,
    withPrivateKey: () => expect.fail('no key is needed'),
    ...more,
  };
}

function admitted(number: number, more: Partial<CredentialAccount> = {}): Account {
  const key = { handle: { id: `key-${number}` }, publicKey: `public-${number}`, keyId: `id-${number}` };
  return toAccount(credential(number, more), '2026-11-20T00:00:00.000Z', key);
}

describe('toAccount', () => {
  it('returns the configured account with the given time and key', () => {
    expect(admitted(7)).to.deep.equal({
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
    });
  });

  it('includes values, keyRevision and overlapSeconds only if they exist', () => {
    expect(admitted(1, { overlapSeconds: 60 })).to.include({ overlapSeconds: 60 });
    const values = { vault: '0x00' };
    expect(admitted(1, { values, keyRevision: 'v1.a' })).to.include({ values, keyRevision: 'v1.a' });
    expect(admitted(1)).not.to.have.any.keys('values', 'keyRevision');
  });

  it('shares one hidden class among accounts with the same members', () => {
    setFlagsFromString('--allow-natives-syntax');
    // Only V8 can tell; from here on it parses natives syntax.
    const haveSameMap = new Function('left', 'right', 'return %HaveSameMap(left, right)');
    const accounts = Array.from({ length: MANY }, (_, number) => admitted(number, { keyRevision: `v1.${number}` }));
    const differing = accounts.filter((account, number) => !haveSameMap(account, accounts[number - 1] ?? account));
    expect(haveSameMap({ a: 1 }, { b: 1 })).to.equal(false);
    // Classes change while V8 learns field types.
    expect(differing.length).to.be.below(10);
  });
});
