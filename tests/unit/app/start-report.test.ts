import { expect } from 'chai';
import { checkNodeRelease } from '../../../src/adapters/machine/node-release.ts';
import { reportHardening } from '../../../src/app/start-report.ts';
import { RecordingServiceLog } from '../../doubles/recording-service-log.ts';

describe('reportHardening', () => {
  it('reports in one line what holds and, as a warning, what is missing', () => {
    const log = new RecordingServiceLog();
    reportHardening({}, log);
    const [line] = log.events;
    expect(line?.facts).to.include.keys('memory', 'dumpable', 'core-dumps', 'swap', 'node-options');
    // These tests run without the hardening options.
    expect(line?.level).to.equal('warn');
    expect(line?.facts['missing']).to.include('node-options').and.not.include('memory');
    expect(line?.message).to.include('doctor');
  });

  it('warns of a release of Node.js without security fixes, and names what to use', () => {
    const log = new RecordingServiceLog();
    reportHardening({}, log);
    const { state, message, remedy } = checkNodeRelease();
    const lines = log.events.filter((event) => event.message === `Node.js ${message}.`);
    expect(lines.map(({ level, facts }) => ({ level, facts }))).to.deep.equal(
      state === 'ok' ? [] : [{ level: 'warn', facts: { remedy } }],
    );
  });

  it('warns of what lets others look in, in a line of its own, without its value', () => {
    const log = new RecordingServiceLog();
    reportHardening({ NODE_DEBUG: 'hunter2' }, log);
    const line = log.events.find(({ message }) => message.startsWith('Others can look into this process'));
    expect(line?.level).to.equal('warn');
    expect(JSON.stringify(line?.facts)).to.include('NODE_DEBUG').and.not.include('hunter2');
  });
});
