import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { expect } from 'chai';
import { RsaSigner } from '../../../../src/adapters/signing/rsa-signer.ts';
import { InvalidPrivateKeyError } from '../../../../src/domain/model/errors.ts';
import { isRsaSignature } from '../../../contracts/independent-verification.ts';
import { describeSignerContract } from '../../../contracts/signer-contract.ts';
import { readProjectFile } from '../../../project-root.ts';
import { RSA_KEYS, RSA_KEYS_DER } from '../../../vectors/rsa-keys.ts';

const [KEY_2048, OTHER_2048, , KEY_4096] = RSA_KEYS_DER as readonly [Buffer, Buffer, Buffer, Buffer];

/** A bit of the modulus differs: it begins about 12 bytes into the key. */
const WITH_OTHER_MODULUS = Buffer.from(KEY_2048);
WITH_OTHER_MODULUS[20] = Number(KEY_2048[20]) ^ 2;

describeSignerContract('RsaSigner', {
  make: () => new RsaSigner(),
  privateKeys: [KEY_2048, OTHER_2048, KEY_4096],
  invalidKeys: [Buffer.alloc(1200, 0xab), WITH_OTHER_MODULUS, KEY_2048.subarray(0, -1)],
  verifyIndependently: ({ publicKey, message, signature }) => isRsaSignature(publicKey, message, signature),
  runs: 6,
});

describe('RsaSigner', () => {
  const signer = new RsaSigner();
  const message = Buffer.from('symbol=BTCUSDT&side=BUY&timestamp=1668481559918');

  it("returns OpenSSL's signature, and its public key in base64 of SubjectPublicKeyInfo", () => {
    for (const [index, key] of RSA_KEYS_DER.entries()) {
      const pem = RSA_KEYS[index] ?? '';
      expect(signer.sign(key, message, 'base64')).to.equal(sign('sha256', message, pem).toString('base64'));
      const spki = createPublicKey(pem).export({ format: 'der', type: 'spki' });
      expect(signer.publicKey(key)).to.equal(spki.toString('base64'));
    }
  });

  it('continues with each of many keys in turn, after an error, too', () => {
    const signers = new RsaSigner();
    expect(() => signers.sign(Buffer.alloc(1200), message, 'hex')).to.throw();
    for (const key of [KEY_2048, OTHER_2048, KEY_2048, KEY_4096, OTHER_2048]) {
      expect(
        isRsaSignature(signers.publicKey(key), message, Buffer.from(signers.sign(key, message, 'hex'), 'hex')),
      ).to.equal(true);
    }
  });

  it('verifies with RSA keys of 2048 to 4096 bits in canonical base64 only', () => {
    const publicKey = signer.publicKey(KEY_2048);
    const signature = signer.sign(KEY_2048, message, 'base64');
    const spkiOf = (key: KeyObject) => key.export({ format: 'der', type: 'spki' }).toString('base64');
    const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
    const small = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const signatureOfSmall = sign('sha256', message, small.privateKey).toString('base64');
    expect(signer.verify(publicKey, message, signature, 'base64')).to.equal(true);
    expect(signer.verify(spkiOf(small.publicKey), message, signatureOfSmall, 'base64')).to.equal(false);
    for (const text of [`${publicKey}\n`, `${publicKey}AAAA`, spkiOf(elliptic)]) {
      expect(signer.verify(text, message, signature, 'base64'), text).to.equal(false);
    }
  });
});

interface WycheproofCase {
  readonly tcId: number;
  readonly comment: string;
  readonly flags: readonly string[];
  readonly msg: string;
  readonly sig: string;
  readonly result: 'valid' | 'invalid' | 'acceptable';
}

/** Project Wycheproof, in hex; the file names its source. */
const WYCHEPROOF: {
  readonly generation: readonly { readonly privateKeyPkcs8: string; readonly tests: readonly WycheproofCase[] }[];
  readonly verification: readonly { readonly publicKeyDer: string; readonly tests: readonly WycheproofCase[] }[];
} = JSON.parse(readProjectFile('tests/vectors/wycheproof-rsa.json'));

describe('RsaSigner with Project Wycheproof', () => {
  const signer = new RsaSigner();
  const keyOf = (pkcs8: string): Buffer =>
    createPrivateKey({ key: Buffer.from(pkcs8, 'hex'), format: 'der', type: 'pkcs8' }).export({
      format: 'der',
      type: 'pkcs1',
    });

  it('makes every valid signature, and rejects the keys with a small exponent', () => {
    const made = WYCHEPROOF.generation.flatMap(({ privateKeyPkcs8, tests }) => {
      const key = keyOf(privateKeyPkcs8);
      return tests.map((test) => ({ key, test }));
    });
    expect(made.filter(({ test }) => test.result === 'valid')).to.have.length(24);
    for (const { key, test } of made) {
      if (test.result === 'valid') expect(signer.sign(key, Buffer.from(test.msg, 'hex'), 'hex')).to.equal(test.sig);
      else expect(() => signer.expand(key, Buffer.alloc(key.length)), test.comment).to.throw(InvalidPrivateKeyError);
    }
  });

  it('accepts valid signatures of 2048 bits and no others', () => {
    const cases = WYCHEPROOF.verification.flatMap(({ publicKeyDer, tests }) =>
      tests.map((test) => ({ publicKeyDer, ...test })),
    );
    expect(cases).to.have.length(259);
    const wrong = cases.filter(({ publicKeyDer, msg, sig, result }) => {
      const publicKey = Buffer.from(publicKeyDer, 'hex').toString('base64');
      return signer.verify(publicKey, Buffer.from(msg, 'hex'), sig, 'hex') !== (result === 'valid');
    });
    expect(wrong.map(({ tcId, comment, result }) => `case ${tcId} (${comment}) is ${result}`)).to.deep.equal([]);
  });
});
