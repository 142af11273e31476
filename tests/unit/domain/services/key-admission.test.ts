import bs58 from 'bs58';
import { expect } from 'chai';
import { InvalidPrivateKeyError, KeyUnavailableError } from '../../../../src/domain/model/errors.ts';
import { admitKey } from '../../../../src/domain/services/key-admission.ts';
import { AlteredSigner } from '../../../doubles/altered-signer.ts';
import { samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { MockKeyStore } from '../../../doubles/mock-key-store.ts';
import { RFC_8032_VECTORS } from '../../../vectors/rfc-8032.ts';
import { isValidSignature } from './is-valid-signature.ts';
import { SIGNERS } from './signing-workbench.ts';

const IDENTITY = { platformId: 'alpha', accountId: 'main', algorithm: 'ed25519' } as const;

describe('admitKey', () => {
  for (const algorithm of ['ed25519', 'eip191'] as const) {
    it(`takes in an ${algorithm} key, for that account, that signs for the public key it returns`, () => {
      const store = new MockKeyStore();
      const identity = { ...IDENTITY, algorithm };
      const { handle, publicKey } = admitKey(store, SIGNERS[algorithm], identity, samplePrivateKey(5));
      expect(store.calls[0]).to.deep.equal({ call: 'create', identity });
      expect(store.calls.map(({ call }) => call)).not.to.include('discard');

      const message = Buffer.from('message');
      const signature = store.use(handle, (key) => SIGNERS[algorithm].sign(key, message, 'hex'));
      const released = { signature, algorithm, encoding: 'hex', publicKey } as const;
      expect(isValidSignature(released, message)).to.equal(true);
    });
  }

  it('finds the public key that RFC 8032 publishes', () => {
    for (const { name, seed, publicKey } of RFC_8032_VECTORS) {
      const admitted = admitKey(new MockKeyStore(), SIGNERS.ed25519, IDENTITY, Buffer.from(seed, 'hex'));
      expect(Buffer.from(bs58.decode(admitted.publicKey)).toString('hex'), name).to.equal(publicKey);
    }
  });

  it('refuses what is no key of the algorithm and keeps nothing', () => {
    const store = new MockKeyStore();
    const identity = { ...IDENTITY, algorithm: 'eip191' } as const;
    expect(() => admitKey(store, SIGNERS.eip191, identity, new Uint8Array(32))).to.throw(InvalidPrivateKeyError);
    expect(store.calls.filter(({ call }) => call === 'use')).to.deep.equal([]);
  });

  it('discards a key whose signature does not verify, and says so', () => {
    const store = new MockKeyStore();
    const misprinting = new AlteredSigner(SIGNERS.ed25519, (key, message, encoding) =>
      SIGNERS.ed25519.sign(key, Uint8Array.of(...message, 0), encoding),
    );
    expect(() => admitKey(store, misprinting, IDENTITY, samplePrivateKey(1))).to.throw(
      InvalidPrivateKeyError,
      /self-test/,
    );
    expect(store.calls.at(-1)).to.deep.equal({ call: 'discard', identity: IDENTITY });
    expect(() => store.use({ id: 'mock-key-1' }, () => undefined)).to.throw(KeyUnavailableError);
  });

  it('discards a key that can not be signed with, and passes the error on', () => {
    const store = new MockKeyStore();
    const cause = new RangeError('out of order');
    const throwing = new AlteredSigner(SIGNERS.ed25519, () => {
      throw cause;
    });
    expect(() => admitKey(store, throwing, IDENTITY, samplePrivateKey(1))).to.throw(cause);
    expect(store.calls.at(-1)).to.deep.equal({ call: 'discard', identity: IDENTITY });
  });

  it('leaves the private key as it was lent', () => {
    const privateKey = samplePrivateKey(9);
    admitKey(new MockKeyStore(), SIGNERS.ed25519, IDENTITY, privateKey);
    expect(privateKey).to.deep.equal(samplePrivateKey(9));
  });
});
