import { expect } from 'chai';
import { runFixture } from './child-process.ts';

interface Outcome {
  readonly before: string;
  readonly allowed: string;
  readonly after: string;
  readonly lent: number;
  readonly keeps: boolean;
  readonly told: readonly string[];
}

describe('allowUnlockedMemory', () => {
  it('lets buffers work that can not be locked, remembers it, and tells of it once', () => {
    const { told, ...outcome } = outcomeUnder('ulimit -l 0');
    expect(outcome).to.deep.equal({ before: 'locked', allowed: 'locked', after: 'unlocked', lent: 20, keeps: true });
    expect(told).to.have.length(1);
    expect(told[0])
      .to.contain('can not be locked into RAM')
      .and.to.contain('ulimit -l 65536')
      .and.to.contain('SIGNING_MEMORY_LOCK=warn');
    if (process.platform === 'linux') expect(told[0]).to.contain('the limit is 0 bytes');
  });

  it('does not forget a lock that failed when later ones succeed', () => {
    // Room for the many buffers of one page, not for the one of two.
    const { told, ...outcome } = outcomeUnder('ulimit -l 4');
    expect(outcome).to.deep.equal({ before: 'locked', allowed: 'locked', after: 'unlocked', lent: 20, keeps: true });
    expect(told).to.have.length(1);
    if (process.platform === 'linux') expect(told[0]).to.contain('the limit is 4096 bytes');
  });

  it('changes nothing where memory can be locked', () => {
    expect(outcomeUnder('ulimit -l 256')).to.deep.equal({
      before: 'locked',
      allowed: 'locked',
      after: 'locked',
      lent: 20,
      keeps: true,
      told: [],
    });
  });
});

function outcomeUnder(limit: string): Outcome {
  const child = runFixture('go-on-unlocked.ts', [], limit);
  expect(child.status, child.stderr).to.equal(0);
  return JSON.parse(child.stdout) as Outcome;
}
