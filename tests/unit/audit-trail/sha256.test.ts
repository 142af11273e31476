import { expect } from 'chai';
import { sha256Of } from '../../../src/audit-trail/sha256.ts';

describe('sha256Of', () => {
  it('is SHA-256 over UTF-8 (FIPS 180-2, appendix B.1, and `printf é | sha256sum`)', () => {
    expect(sha256Of('abc')).to.equal('sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256Of('é')).to.equal('sha256:4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c');
  });
});
