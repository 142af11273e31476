import { expect } from 'chai';
import { isNewDigest, sha256Of } from '../../../src/audit-trail/sha256.ts';

describe('sha256Of', () => {
  it('is SHA-256 over UTF-8 (FIPS 180-2, appendix B.1, and `printf é | sha256sum`)', () => {
    expect(sha256Of('abc')).to.equal('sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256Of('é')).to.equal('sha256:4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c');
  });

  it('is that of bytes, of a view of its bytes alone', () => {
    expect(sha256Of(Buffer.from('é'))).to.equal(sha256Of('é'));
    expect(sha256Of(Buffer.from('xabcx').subarray(1, 4))).to.equal(sha256Of('abc'));
  });
});

describe('isNewDigest', () => {
  it('knows the last two digests, and no other text', () => {
    const [first, second, third] = ['1', '2', '3'].map((text) => sha256Of(text)) as [string, string, string];
    expect([first, second, third].map((digest) => isNewDigest(digest))).to.deep.equal([false, true, true]);
    const others = ['', 'sha256:', third.toUpperCase(), `${third}0`, third.slice(0, -1), `${third}"`, third.slice(7)];
    for (const text of others) expect(isNewDigest(text), text).to.equal(false);
  });
});
