import { expect } from 'chai';
import { ALGORITHMS, MAC_ALGORITHMS } from '../../../../src/domain/model/algorithm.ts';
import { KeyUnavailableError } from '../../../../src/domain/model/errors.ts';
import { SIGNATURE_ENCODINGS } from '../../../../src/domain/model/signature-encoding.ts';
import { admitKey } from '../../../../src/domain/services/key-admission.ts';
import { isSignatureOf } from '../../../../src/domain/services/signature-check.ts';
import { samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { MockKeyStore } from '../../../doubles/mock-key-store.ts';
import { SIGNERS } from './signing-workbench.ts';

describe('isSignatureOf', () => {
  for (const algorithm of ALGORITHMS) {
    const signer = SIGNERS[algorithm];
    const identity = { platformId: 'alpha', accountId: 'main', algorithm };

    it(`tells a key's own ${algorithm} signatures from another key's, in every encoding`, () => {
      const store = new MockKeyStore();
      const [own, other] = [1, 2].map((number) => admitKey(store, signer, identity, samplePrivateKey(number)));
      if (own === undefined || other === undefined) return expect.fail('Both keys should be there.');
      for (const encoding of SIGNATURE_ENCODINGS) {
        const signature = store.use(own.handle, (key) => signer.sign(key, signer.probe, encoding));
        const check = ({ publicKey, handle }: typeof own, text: string) =>
          isSignatureOf(store, signer, { publicKey, key: handle }, signer.probe, text, encoding);
        expect(check(own, signature)).to.equal(true);
        expect(check(other, signature)).to.equal(false);
        for (const malformed of ['', signature.slice(1), `${signature}\n`]) {
          expect(check(own, malformed)).to.equal(false);
        }
      }
    });

    it(`opens a key for ${algorithm} only where there is no other way`, () => {
      const store = new MockKeyStore();
      const { handle, publicKey } = admitKey(store, signer, identity, samplePrivateKey(1));
      store.calls.length = 0;
      isSignatureOf(store, signer, { publicKey, key: handle }, signer.probe, 'no signature', 'hex');
      expect(store.calls).to.deep.equal(signer.kind === 'mac' ? [{ call: 'use', identity }] : []);
    });
  }

  it('passes on that a secret is not there', () => {
    for (const algorithm of MAC_ALGORITHMS) {
      const signer = SIGNERS[algorithm];
      const gone = { publicKey: 'hmac:0123456789abcdef', key: { id: 'gone' } };
      expect(() => isSignatureOf(new MockKeyStore(), signer, gone, signer.probe, 'ab', 'hex')).to.throw(
        KeyUnavailableError,
      );
    }
  });
});
