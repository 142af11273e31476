import { expect } from 'chai';
import { checkNodeRelease } from '../../../../src/adapters/machine/node-release.ts';
import { readProjectFile } from '../../../project-root.ts';
import { issueOf } from './fake-machine.ts';

const IN_2026 = Date.parse('2026-01-01T00:00:00Z');

function stateOf(version: string, now = IN_2026) {
  const outcome = checkNodeRelease(version, now);
  return typeof outcome === 'string' ? 'ok' : outcome.state;
}

describe('checkNodeRelease', () => {
  it('accepts the range of package.json', () => {
    const { engines } = JSON.parse(readProjectFile('package.json'));
    expect(engines.node).to.equal('^20.19.0 || >=22.12.0');
    for (const version of ['20.19.0', '22.12.0', '24.0.0']) {
      expect(stateOf(version), version).not.to.equal('fail');
    }
    for (const version of ['18.20.8', '20.18.3', '21.7.3', '22.11.0']) {
      expect(stateOf(version), version).to.equal('fail');
    }
  });

  it('passes each release until its last day, and warns from the day after on', () => {
    for (const [version, lastDay, dayAfter] of [['20.19.0', '2026-04-30', '2026-05-01']] as const) {
      expect(checkNodeRelease(version, Date.parse(`${lastDay}T23:59:59Z`)))
        .to.be.a('string')
        .that.includes(lastDay);
      expect(stateOf(version, Date.parse(`${dayAfter}T00:00:00Z`))).to.equal('warning');
    }
  });

  it('warns about a release that hides HTTP headers, naming the first fixed one', () => {
    for (const [version, fixed] of [
      ['22.23.1', '22.23.2'],
      ['24.18.0', '24.18.1'],
    ] as const) {
      const finding = issueOf(checkNodeRelease(version, IN_2026));
      expect(finding.state, version).to.equal('warning');
      expect(finding.message).to.include('CVE-2026-58044');
      expect(finding.remedy).to.include(fixed);
      expect(stateOf(fixed), fixed).to.equal('ok');
    }
  });

  it('warns about a release with an unknown end of life, with the date of its knowledge', () => {
    for (const version of ['23.5.0', '31.0.0']) {
      expect(issueOf(checkNodeRelease(version, IN_2026)).message, version).to.match(/unknown: .* of 20\d\d-\d\d-\d\d$/);
    }
  });

  it('warns that its knowledge is old after nine months, with its date', () => {
    expect(stateOf('26.5.1', Date.parse('2027-08-20'))).to.equal('ok');
    const { state, message } = issueOf(checkNodeRelease('26.5.1', Date.parse('2027-08-21')));
    expect(state).to.equal('warning');
    expect(message).to.include('as known on 2026-11-23');
  });
});
