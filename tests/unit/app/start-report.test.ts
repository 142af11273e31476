import { expect } from 'chai';
import { checkNodeRelease } from '../../../src/adapters/machine/node-release.ts';
import { reportHardening } from '../../../src/app/start-report.ts';
import { RecordingServiceLog } from '../../doubles/recording-service-log.ts';

describe('reportHardening', () => {
  it('reports active hardening in one line, as a warning if some is missing', () => {
    const log = new RecordingServiceLog();
    reportHardening({}, log);
    const [line] = log.events;
    expect(line?.facts).to.include.keys('memory', 'dumpable', 'core-dumps', 'swap', 'node-options');
    // These tests run without the hardening options.
    expect(line?.level).to.equal('warn');
    expect(line?.facts['missing']).to.include('node-options').and.not.include('memory');
    expect(line?.message).to.include('doctor');
  });

  it('warns about a Node.js release without security fixes, and names the remedy', () => {
    const log = new RecordingServiceLog();
    reportHardening({}, log);
    const { state, message, remedy } = checkNodeRelease();
    const lines = log.events.filter((event) => event.message === `Node.js ${message}.`);
    expect(lines.map(({ level, facts }) => ({ level, facts }))).to.deep.equal(
      state === 'ok' ? [] : [{ level: 'warn', facts: { remedy } }],
    );
  });

  it('warns about anything that exposes the process, in a separate line, without its value', () => {
    const log = new RecordingServiceLog();
    reportHardening({ NODE_DEBUG: 'hunter2' }, log);
    const line = log.events.find(({ message }) => message.startsWith('Other processes can inspect this process'));
    expect(line?.level).to.equal('warn');
    expect(JSON.stringify(line?.facts)).to.include('NODE_DEBUG').and.not.include('hunter2');
  });
});
