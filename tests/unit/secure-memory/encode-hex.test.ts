import { expect } from 'chai';
import fc from 'fast-check';
import { encodeHex } from '../../../src/secure-memory/encode-hex.ts';

describe('encodeHex', () => {
  it("writes what Node's own encoder does, and nothing behind it", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        const output = Buffer.alloc(2 * bytes.length + 1, '!');
        encodeHex(Buffer.from(bytes), output);
        expect(output.toString('latin1')).to.equal(`${Buffer.from(bytes).toString('hex')}!`);
      }),
    );
  });

  it('refuses more bytes than there is room for', () => {
    expect(() => encodeHex(Buffer.alloc(2), Buffer.alloc(3))).to.throw(RangeError);
  });
});
