import { expect } from 'chai';
import { checkNodeRelease } from '../../../../src/adapters/machine/node-release.ts';
import { readProjectFile } from '../../../project-root.ts';

const IN_2026 = Date.parse('2026-01-01T00:00:00Z');

describe('checkNodeRelease', () => {
  it('accepts the range of package.json', () => {
    const { engines } = JSON.parse(readProjectFile('package.json'));
    expect(engines.node).to.equal('^20.19.0 || >=22.12.0');
    for (const version of ['20.19.0', '22.12.0', '24.0.0']) {
      expect(checkNodeRelease(version, IN_2026).state, version).not.to.equal('fail');
    }
    for (const version of ['18.20.8', '20.18.3', '21.7.3', '22.11.0']) {
      expect(checkNodeRelease(version, IN_2026).state, version).to.equal('fail');
    }
  });

  it('passes each release until its last day, and warns from the day after on', () => {
    for (const [version, lastDay, dayAfter] of [['20.19.0', '2026-04-30', '2026-05-01']] as const) {
      const finding = checkNodeRelease(version, Date.parse(`${lastDay}T23:59:59Z`));
      expect(finding.state).to.equal('ok');
      expect(finding.message).to.include(lastDay);
      const late = checkNodeRelease(version, Date.parse(`${dayAfter}T00:00:00Z`));
      expect(late.state).to.equal('warning');
      expect(late.remedy).to.be.a('string');
    }
  });

  it('warns about a release that hides HTTP headers, naming the first fixed one', () => {
    for (const [version, fixed] of [
      ['22.23.1', '22.23.2'],
      ['24.18.0', '24.18.1'],
    ] as const) {
      const finding = checkNodeRelease(version, IN_2026);
      expect(finding.state, version).to.equal('warning');
      expect(finding.message).to.include('CVE-2026-58044');
      expect(finding.remedy).to.include(fixed);
      expect(checkNodeRelease(fixed, IN_2026).state, fixed).to.equal('ok');
    }
  });

  it('warns about a release with an unknown end of life', () => {
    for (const version of ['23.5.0', '31.0.0']) {
      expect(checkNodeRelease(version, IN_2026).state, version).to.equal('warning');
    }
  });
});
