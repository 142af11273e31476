import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, publicDecrypt, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { RsaSigner } from '../../../../src/adapters/signing/rsa-signer.ts';
import { InvalidPrivateKeyError } from '../../../../src/domain/model/errors.ts';
import { isRsaSignature } from '../../../contracts/independent-verification.ts';
import { describeSignerContract } from '../../../contracts/signer-contract.ts';
import { RSA_KEYS, RSA_KEYS_DER } from '../../../vectors/rsa-keys.ts';

const [KEY_2048, OTHER_2048, KEY_3072, KEY_4096] = RSA_KEYS_DER as readonly [Buffer, Buffer, Buffer, Buffer];

const derOf = (bits: number, publicExponent = 65_537): Buffer =>
  generateKeyPairSync('rsa', { modulusLength: bits, publicExponent }).privateKey.export({
    format: 'der',
    type: 'pkcs1',
  });
const altered = (der: Buffer, position: number): Buffer => {
  const copy = Buffer.from(der);
  copy.writeUInt8(copy.readUInt8(position) ^ 2, position);
  return copy;
};
/** First byte of the digits of a number of the key, from 0: n, e, d, p, q. */
const placeOf = (der: Buffer, name: 'n' | 'p' | 'q'): number => {
  const digits = Buffer.from(
    createPrivateKey({ key: der, format: 'der', type: 'pkcs1' }).export({ format: 'jwk' })[name] ?? '',
    'base64url',
  );
  return der.indexOf(digits);
};

describeSignerContract('RsaSigner', {
  make: () => new RsaSigner(),
  privateKeys: [KEY_2048, OTHER_2048, KEY_4096],
  invalidKeys: [
    Buffer.alloc(1200, 0xab),
    derOf(1024),
    derOf(2048, 3),
    altered(KEY_2048, placeOf(KEY_2048, 'n') + 9),
    altered(KEY_2048, placeOf(KEY_2048, 'p') + 9),
    altered(KEY_2048, placeOf(KEY_2048, 'q') + 127),
    KEY_2048.subarray(0, -1),
    Buffer.concat([KEY_2048, Buffer.alloc(1)]),
  ],
  verifyIndependently: ({ publicKey, message, signature }) => isRsaSignature(publicKey, message, signature),
});

describe('RsaSigner', () => {
  const signer = new RsaSigner();
  const message = Buffer.from('symbol=BTCUSDT&side=BUY&timestamp=1668481559918');

  it("returns OpenSSL's signature, as long as the modulus", () => {
    for (const [index, key] of RSA_KEYS_DER.entries()) {
      const signature = Buffer.from(signer.sign(key, message, 'base64'), 'base64');
      expect(signature).to.deep.equal(sign('sha256', message, RSA_KEYS[index] ?? ''));
      expect(signature).to.have.length([256, 256, 384, 512][index] ?? 0);
    }
  });

  it('signs the DigestInfo of SHA-256 in PKCS #1 v1.5 padding (RFC 8017 §9.2)', () => {
    const signature = Buffer.from(signer.sign(KEY_3072, message, 'hex'), 'hex');
    const digest = createHash('sha256').update(message).digest('hex');
    const padded = publicDecrypt({ key: createPublicKey(RSA_KEYS[2] ?? ''), padding: 3 }, signature).toString('hex');
    expect(padded).to.equal(`0001${'ff'.repeat(330)}003031300d060960864801650304020105000420${digest}`);
  });

  it('writes the public key as OpenSSL does, base64 of SubjectPublicKeyInfo', () => {
    for (const [index, key] of RSA_KEYS_DER.entries()) {
      const spki = createPublicKey(RSA_KEYS[index] ?? '').export({ format: 'der', type: 'spki' });
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

  it('verifies with keys of 2048 to 4096 bits in canonical base64 only', () => {
    const publicKey = signer.publicKey(KEY_2048);
    const signature = signer.sign(KEY_2048, message, 'base64');
    const { publicKey: ellipticKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const small = createPublicKey({ key: derOf(1024), format: 'der', type: 'pkcs1' });
    const spkiOf = (key: typeof small) => key.export({ format: 'der', type: 'spki' }).toString('base64');
    expect(signer.verify(publicKey, message, signature, 'base64')).to.equal(true);
    for (const text of [
      `${publicKey}\n`,
      `${publicKey}AAAA`,
      publicKey.replace('+', '-'),
      spkiOf(ellipticKey),
      spkiOf(small),
    ]) {
      expect(signer.verify(text, message, signature, 'base64') && text !== publicKey, text).to.equal(false);
    }
  });

  it('explains why a key is unsuitable', () => {
    const reasons: readonly (readonly [Buffer, RegExp])[] = [
      [derOf(1024), /an RSA key of 1024 bits; 2048 to 4096 are required/],
      [derOf(2048, 3), /its public exponent is unsuitable; use an RSA key with exponent 65537/],
      [altered(KEY_2048, placeOf(KEY_2048, 'p') + 9), /the numbers of its RSA key do not belong together/],
      [Buffer.alloc(1200), /it is not an RSA private key in DER/],
    ];
    for (const [key, reason] of reasons) {
      expect(() => signer.expand(key, Buffer.alloc(key.length))).to.throw(InvalidPrivateKeyError, reason);
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
} = JSON.parse(readFileSync(new URL('../../../vectors/wycheproof-rsa.json', import.meta.url), 'utf8'));

describe('RsaSigner with Project Wycheproof', () => {
  const signer = new RsaSigner();
  const keyOf = (pkcs8: string): Buffer =>
    createPrivateKey({ key: Buffer.from(pkcs8, 'hex'), format: 'der', type: 'pkcs8' }).export({
      format: 'der',
      type: 'pkcs1',
    });

  it('makes every valid signature, and rejects the keys with a small exponent', () => {
    const made = WYCHEPROOF.generation.flatMap(({ privateKeyPkcs8, tests }) =>
      tests.map((test) => ({ privateKeyPkcs8, test })),
    );
    expect(made.filter(({ test }) => test.result === 'valid')).to.have.length(24);
    for (const { privateKeyPkcs8, test } of made) {
      const key = keyOf(privateKeyPkcs8);
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
