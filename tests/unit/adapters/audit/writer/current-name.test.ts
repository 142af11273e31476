import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { assertOwnName } from '../../../../../src/adapters/audit/writer/current-name.ts';
import { nodeFileSystem } from '../../../../../src/adapters/audit/writer/file-system.ts';
import { AuditUnavailableError } from '../../../../../src/domain/model/errors.ts';
import { systemError, useSinkBench } from '../sink-bench.ts';

describe("The audit file's name", () => {
  const bench = useSinkBench();
  const leadsTo = (path: string) => statSync(bench().file).ino === statSync(path).ino;
  const warnings = () => bench().log.events.filter(({ level }) => level === 'warn');

  it('leads to the segment that SIGHUP began, also if it was removed, and nothing else is left in the folder', async () => {
    await bench().open();
    expect(leadsTo(bench().segment(1))).to.equal(true);
    rmSync(bench().file);
    expect(await bench().append()).to.deep.equal([]);
    await bench().sink.reopen();
    expect(leadsTo(bench().segment(3))).to.equal(true);
    expect(bench().reasons()).to.deep.equal(['first', 'reopened']);
    expect(warnings()).to.deep.equal([]);
    expect(bench().names()).to.deep.equal(['audit.000000000001.jsonl', 'audit.000000000003.jsonl', 'audit.jsonl']);
  });

  it('never replaces a file that another program put there while the service runs, which signs on', async () => {
    await bench().open();
    rmSync(bench().file);
    writeFileSync(bench().file, 'of another program');
    await bench().append();
    await bench().sink.reopen();
    expect(await bench().append(2)).to.deep.equal([]);
    expect(await bench().sink.probe()).to.equal(null);
    expect(readFileSync(bench().file, 'utf8')).to.equal('of another program');
    const [warning, ...others] = warnings();
    expect(warning?.message).to.include('could not be made a link to the newest one').and.include('Signing is not');
    expect(warning?.facts).to.include({ file: bench().file, newest: bench().segment(3) });
    expect(others).to.deep.equal([]);
  });

  for (const [call, code] of [
    ['link', 'EPERM'],
    ['rename', 'EBUSY'],
  ] as const) {
    it(`cannot be made (${code} of ${call}): signing goes on, and the log says so`, async () => {
      bench().fail(systemError(code, `not possible, ${call}`), call);
      await bench().open();
      expect(await bench().append(2)).to.deep.equal([]);
      await bench().sink.reopen();
      expect(await bench().append(2)).to.deep.equal([]);
      expect(await bench().sink.probe()).to.equal(null);
      expect(warnings().map(({ facts }) => facts['newest'])).to.deep.equal([bench().segment(1)]);
      expect(bench().names()).to.deep.equal(['audit.000000000001.jsonl', 'audit.000000000004.jsonl']);
      bench().mend();
      await bench().sink.reopen();
      expect(leadsTo(bench().segment(7))).to.equal(true);
    });
  }

  it('may be a mount point, which nothing can replace', async () => {
    await assertOwnName('/proc', nodeFileSystem);
    const error = await assertOwnName('/proc/version', nodeFileSystem).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(AuditUnavailableError);
  });
});
