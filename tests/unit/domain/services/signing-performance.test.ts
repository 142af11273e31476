import { expect } from 'chai';
import { SigningPerformance } from '../../../../src/domain/services/signing-performance.ts';

describe('SigningPerformance', () => {
  it('knows no mean time before the first signature, and nothing that was not recorded', () => {
    const { avgSigningTimeMs, unrecorded } = new SigningPerformance();
    expect({ avgSigningTimeMs, unrecorded }).to.deep.equal({ avgSigningTimeMs: 0, unrecorded: 0 });
  });

  it('gives the mean time of released signatures, which attempts that were not recorded do not change', () => {
    const performance = new SigningPerformance();
    performance.countReleased(1.5);
    performance.countUnrecorded();
    performance.countReleased(2.5);
    expect(performance.avgSigningTimeMs).to.equal(2);
    expect(performance.unrecorded).to.equal(1);
  });
});
