import { expect } from 'chai';
import fc from 'fast-check';
import { encodeBase64 } from '../../../src/secure-memory/encode-base64.ts';

describe('encodeBase64', () => {
  it("writes what Node's own encoder writes, to the start of the output alone", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const output = Buffer.alloc(140, 0xee);
        const expected = Buffer.from(bytes).toString('base64');
        expect(encodeBase64(Buffer.from(bytes), output)).to.equal(expected.length);
        expect(output.toString('latin1', 0, expected.length)).to.equal(expected);
        expect(output.subarray(expected.length).every((byte) => byte === 0xee)).to.equal(true);
      }),
    );
  });

  it('writes every digit', () => {
    const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const output = Buffer.alloc(344);
    encodeBase64(every, output);
    expect(output.toString()).to.equal(every.toString('base64'));
  });

  it('throws where the output is too small', () => {
    expect(() => encodeBase64(Buffer.alloc(4), Buffer.alloc(7))).to.throw(RangeError);
  });
});
