import { expect } from 'chai';
import { publicKeyOf, SEGMENT_REASONS, segmentData } from '../../../src/audit-trail/segment.ts';

const KEY = Buffer.alloc(32, 0xa5);

describe('a segment record', () => {
  it('says why the file was begun, and the public key in base64', () => {
    for (const reason of SEGMENT_REASONS) {
      expect(segmentData(reason, KEY)).to.deep.equal({ reason, auditPublicKey: KEY.toString('base64') });
    }
  });

  it('names the key that it was made with', () => {
    expect(publicKeyOf(segmentData('first', KEY))).to.deep.equal(KEY);
  });

  it('names no key where that is not the base64 of 32 bytes', () => {
    const text = KEY.toString('base64');
    expect(publicKeyOf(null)).to.equal(null);
    for (const auditPublicKey of [
      null,
      7,
      '',
      text.slice(0, -1),
      `${text}=`,
      ` ${text}`,
      KEY.toString('hex'),
      KEY.toString('base64url'),
      Buffer.alloc(31).toString('base64'),
    ]) {
      expect(publicKeyOf({ auditPublicKey }), String(auditPublicKey)).to.equal(null);
    }
  });
});
