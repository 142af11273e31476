import { expect } from 'chai';
import { checkClockOrder } from '../../../src/machine/clock-order.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const at = (time: string) => ({ what: `the file of ${time} was written`, time: Date.parse(time) });

describe('checkClockOrder', () => {
  it('is content after all that is known to be past', () => {
    const [finding, ...others] = checkClockOrder([at('2026-11-20T12:00:00Z'), at('2020-01-01T00:00:00Z')], NOW);
    expect(finding?.state).to.equal('ok');
    expect(others).to.deep.equal([]);
  });

  it('fails before it, names each contradiction, and says what to do', () => {
    const past = [at('2026-11-20T12:00:02Z'), at('2026-11-20T11:00:00Z'), at('2027-01-01T00:00:00Z')];
    const [finding] = checkClockOrder(past, NOW);
    expect(finding?.state).to.equal('fail');
    expect(finding?.message)
      .to.include('the clock says 2026-11-20T12:00:00.000Z')
      .and.include('the file of 2026-11-20T12:00:02Z was written at 2026-11-20T12:00:02.000Z')
      .and.include('2027-01-01T00:00:00.000Z')
      .and.not.include('11:00:00');
    expect(finding?.remedy).to.include('NTP');
  });

  it('bears a second between two clocks', () => {
    expect(checkClockOrder([at('2026-11-20T12:00:01Z')], NOW)[0]?.state).to.equal('ok');
  });

  it('says nothing where nothing is known', () => {
    expect(checkClockOrder([], NOW)).to.deep.equal([]);
  });
});
