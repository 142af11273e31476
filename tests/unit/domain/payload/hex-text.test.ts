import { expect } from 'chai';
import { hexText } from '../../../../src/domain/payload/hex-text.ts';

describe('hexText', () => {
  it('writes two lower-case digits a byte', () => {
    const every = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    expect(hexText(every)).to.equal(Buffer.from(every).toString('hex'));
    expect(hexText(new Uint8Array())).to.equal('');
  });
});
