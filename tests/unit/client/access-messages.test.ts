import { expect } from 'chai';
import fc from 'fast-check';
import { decodeResponseAuthInfo, decodeToken } from '../../../src/client/access-messages.ts';
import { bytesField } from '../../authentication/wire.ts';
import { SERVICE_TOKEN } from '../../harness/authenticated-service.ts';

const message = (...values: readonly Uint8Array[]) =>
  Buffer.concat(values.map((value, index) => bytesField(index + 1, value)));
const some = fc.uint8Array({ minLength: 1, maxLength: 300 });

describe('Decoders of authentication messages', () => {
  it('decode messages of another encoder', () => {
    fc.assert(
      fc.property(some, some, some, (token, nonce, signature) => {
        const read = decodeResponseAuthInfo(message(token, nonce, signature));
        expect(read).to.deep.equal({
          token: Buffer.from(token),
          nonce: Buffer.from(nonce),
          signature: Buffer.from(signature),
        });
      }),
    );
    expect(decodeToken(SERVICE_TOKEN)?.username.toString()).to.equal('signing-service');
  });

  it('reject all other bytes without throwing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const read = decodeResponseAuthInfo(Buffer.from(bytes));
        if (read !== null) expect(message(read.token, read.nonce, read.signature)).to.deep.equal(Buffer.from(bytes));
      }),
    );
  });

  const [a, b, c] = [Buffer.from('aa'), Buffer.from('bb'), Buffer.from('cc')] as const;
  const whole = message(a, b, c);
  const wrong: { readonly [name: string]: Buffer } = {
    nothing: Buffer.alloc(0),
    'a field too few': message(a, b),
    'a field that is empty': Buffer.concat([bytesField(1, a), Buffer.from([0x12, 0]), bytesField(3, c)]),
    'another order': Buffer.concat([bytesField(2, b), bytesField(1, a), bytesField(3, c)]),
    'a length beyond the end': whole.subarray(0, -1),
    'a length in more bytes than it needs': Buffer.concat([
      Buffer.from([0x0a, 0x82, 0x00]),
      a,
      bytesField(2, b),
      bytesField(3, c),
    ]),
    'a length without an end': Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff]),
  };
  for (const [name, bytes] of Object.entries(wrong)) {
    it(`reject ${name}`, () => {
      expect(decodeResponseAuthInfo(whole)).to.not.equal(null);
      expect(decodeResponseAuthInfo(bytes)).to.equal(null);
    });
  }
});
