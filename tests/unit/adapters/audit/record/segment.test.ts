import { expect } from 'chai';
import { getSegmentPublicKey, SEGMENT_REASONS, segmentData } from '../../../../../src/adapters/audit/record/segment.ts';

const KEY = Buffer.alloc(32, 0xa5);

describe('a segment record', () => {
  it('has the reason and the public key in base64', () => {
    for (const reason of SEGMENT_REASONS) {
      expect(segmentData(reason, KEY)).to.deep.equal({ reason, auditPublicKey: KEY.toString('base64') });
    }
  });

  it('returns its public key', () => {
    expect(getSegmentPublicKey(segmentData('first', KEY))).to.deep.equal(KEY);
  });

  it('returns null for anything but the base64 of 32 bytes', () => {
    const text = KEY.toString('base64');
    expect(getSegmentPublicKey(null)).to.equal(null);
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
      expect(getSegmentPublicKey({ auditPublicKey }), String(auditPublicKey)).to.equal(null);
    }
  });
});
