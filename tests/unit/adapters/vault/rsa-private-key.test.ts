import { createPrivateKey } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { readRsaPrivateKey, validateRsaPrivateKey } from '../../../../src/adapters/vault/rsa-private-key.ts';
import { InvalidPrivateKeyError } from '../../../../src/domain/model/errors.ts';
import { RSA_KEYS, RSA_KEYS_DER } from '../../../vectors/rsa-keys.ts';

const KEYS = RSA_KEYS_DER.map((der) => Buffer.from(der));
const KEY = KEYS[0] ?? Buffer.alloc(0);

/** DER of RSAPrivateKey, written for these tests. */
function write(numbers: readonly Buffer[], version = Buffer.of(0)): Buffer {
  const element = (tag: number, content: Buffer): Buffer => {
    const { length } = content;
    const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
    return Buffer.concat([Buffer.of(tag, ...size), content]);
  };
  const integer = (number: Buffer) =>
    element(2, number.readUInt8(0) < 0x80 ? number : Buffer.concat([Buffer.of(0), number]));
  return element(0x30, Buffer.concat([element(2, version), ...numbers.map(integer)]));
}

/** n, e, d, p, q, dP, dQ, qInv by OpenSSL. */
function numbersOf(pem: string): readonly Buffer[] {
  const jwk = createPrivateKey(pem).export({ format: 'jwk' });
  return [jwk.n, jwk.e, jwk.d, jwk.p, jwk.q, jwk.dp, jwk.dq, jwk.qi].map((text) =>
    Buffer.from(text ?? '', 'base64url'),
  );
}

describe('readRsaPrivateKey', () => {
  it('reads the numbers of keys that OpenSSL writes', () => {
    for (const [index, der] of KEYS.entries()) {
      const [n, e, d, p, q] = numbersOf(RSA_KEYS[index] ?? '');
      const { modulus, publicExponent, privateExponent, primes } = readRsaPrivateKey(der);
      expect([modulus, publicExponent, privateExponent, ...primes]).to.deep.equal([n, e, d, p, q]);
      expect(write(numbersOf(RSA_KEYS[index] ?? ''))).to.deep.equal(der);
      validateRsaPrivateKey(der);
    }
  });

  it('rejects every truncated key, and one with a byte too many', () => {
    for (let length = 0; length < KEY.length; length += 1) {
      expect(() => readRsaPrivateKey(KEY.subarray(0, length)), `${length}`).to.throw(InvalidPrivateKeyError);
    }
    expect(() => readRsaPrivateKey(Buffer.concat([KEY, Buffer.of(0)]))).to.throw(InvalidPrivateKeyError);
  });

  it('rejects other bytes with the same error only', () => {
    fc.assert(
      fc.property(fc.nat(KEY.length - 1), fc.integer({ min: 1, max: 255 }), (position, difference) => {
        const changed = Buffer.from(KEY);
        changed.writeUInt8(changed.readUInt8(position) ^ difference, position);
        try {
          validateRsaPrivateKey(changed);
        } catch (error) {
          expect(error).to.be.instanceOf(InvalidPrivateKeyError);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('rejects keys of more than two primes, other sizes and exponents, and numbers that are not minimal', () => {
    const [n, e, d, p, q, ...rest] = numbersOf(RSA_KEYS[0] ?? '') as [Buffer, Buffer, Buffer, Buffer, Buffer];
    const wrong: readonly (readonly [Buffer, RegExp])[] = [
      [write([n, e, d, p, q, ...rest], Buffer.of(1)), /not an RSA key of two primes/],
      [write([n.subarray(0, 255), e, d.subarray(1), p, q, ...rest]), /of 2040 bits/],
      [write([Buffer.concat([n, n, Buffer.of(1)]), e, d, p, q, ...rest]), /of 4104 bits/],
      [write([n, Buffer.of(1, 0, 0), d, p, q, ...rest]), /public exponent/],
      [write([n, Buffer.of(0x7f, 0xff), d, p, q, ...rest]), /public exponent/],
      [write([n, Buffer.alloc(9, 1), d, p, q, ...rest]), /public exponent/],
      [write([n, e, Buffer.concat([Buffer.of(1), n]), p, q, ...rest]), /do not belong together/],
      [write([n, e, Buffer.of(0), p, q, ...rest]), /not an RSA private key in DER/],
      [write([n, e, Buffer.concat([Buffer.of(0, 1), d.subarray(1)]), p, q, ...rest]), /not an RSA private key in DER/],
      [write([n, e, d, p, q, ...rest.slice(1)]), /not an RSA private key in DER/],
      [write([n, e, d, p, q, ...rest, q]), /not an RSA private key in DER/],
    ];
    for (const [der, problem] of wrong) expect(() => readRsaPrivateKey(der)).to.throw(InvalidPrivateKeyError, problem);
  });

  it('accepts only primes whose product is the modulus', () => {
    const [n, e, d, p, q, ...rest] = numbersOf(RSA_KEYS[0] ?? '') as [Buffer, Buffer, Buffer, Buffer, Buffer];
    const [, , , otherPrime] = numbersOf(RSA_KEYS[1] ?? '') as [Buffer, Buffer, Buffer, Buffer];
    validateRsaPrivateKey(write([n, e, d, q, p, ...rest]));
    for (const primes of [
      [p, p],
      [otherPrime, q],
      [p, Buffer.of(1)],
    ]) {
      expect(() => validateRsaPrivateKey(write([n, e, d, ...primes, ...rest]))).to.throw(
        InvalidPrivateKeyError,
        /do not belong together/,
      );
    }
    for (const [index, mask] of [
      [0, 1],
      [128, 1],
      [255, 2],
    ] as const) {
      const changed = Buffer.from(n);
      changed.writeUInt8(changed.readUInt8(index) ^ mask, index);
      expect(() => validateRsaPrivateKey(write([changed, e, d, p, q, ...rest]))).to.throw(InvalidPrivateKeyError);
    }
  });
});
