import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { expect } from 'chai';
import { replaceFile } from '../../../../../../src/adapters/driven/credential-source/files/replace-file.ts';
import { EditRefusedError } from '../../../../../../src/domain/model/errors.ts';
import { programAt } from '../../../../../programs/program.ts';
import { rejection, useWorkplace } from '../credentials-workplace.ts';

const CHILD = programAt(new URL('replace-once.ts', import.meta.url));
const OLD = 'old content';
const NEW = 'new content';
const confirmed = async () => undefined;

describe('replaceFile', () => {
  const workplace = useWorkplace();
  const original = { rename: fs.rename, open: fs.open, stat: fs.stat };

  beforeEach(() => workplace().write(OLD));
  afterEach(() => {
    Object.assign(fs, original);
    syncBuiltinESMExports();
  });

  /** Puts something else in the place of a function of node:fs/promises until the test ends. */
  function stub(replacement: Partial<typeof fs>): void {
    Object.assign(fs, replacement);
    syncBuiltinESMExports();
  }

  async function expectUntouched(action: Promise<unknown>, message: string): Promise<void> {
    const error = await rejection(action);
    expect(error).to.be.instanceOf(EditRefusedError);
    expect(error.message).to.include(workplace().file).and.include(message);
    expect(workplace().text()).to.equal(OLD);
    expect(readdirSync(workplace().folder)).to.have.members(['credentials.json', 'master.key']);
  }

  it('replaces the content, with the mode that it had for owner and group, and leaves nothing else', async () => {
    chmodSync(workplace().file, 0o664);
    await replaceFile(workplace().file, NEW, confirmed);
    expect(workplace().text()).to.equal(NEW);
    expect(statSync(workplace().file).mode & 0o7777).to.equal(0o660);
    expect(readdirSync(workplace().folder)).to.have.members(['credentials.json', 'master.key']);
  });

  it('writes and syncs the new content before it asks for confirmation, and the old stands until then', async () => {
    chmodSync(workplace().file, 0o600);
    await replaceFile(workplace().file, NEW, async () => {
      expect(readFileSync(`${workplace().file}.tmp`, 'utf8')).to.equal(NEW);
      expect(statSync(`${workplace().file}.tmp`).mode & 0o7777).to.equal(0o600);
      expect(workplace().text()).to.equal(OLD);
    });
  });

  it('keeps the old content when the confirmation is refused', async () => {
    const refuse = async () => {
      throw new EditRefusedError(`${workplace().file} is not to be replaced`);
    };
    await expectUntouched(replaceFile(workplace().file, NEW, refuse), 'is not to be replaced');
  });

  it('keeps the old content when the rename fails', async () => {
    stub({
      rename: async () => {
        throw Object.assign(new Error('from the system'), { code: 'EIO' });
      },
    });
    await expectUntouched(replaceFile(workplace().file, NEW, confirmed), "can't be written (EIO); it is as it was");
  });

  it('keeps the old content when the new file can not be made', async () => {
    stub({
      open: async () => {
        throw Object.assign(new Error('from the system'), { code: 'EROFS' });
      },
    });
    await expectUntouched(replaceFile(workplace().file, NEW, confirmed), "can't be written (EROFS)");
  });

  it('keeps the old content when there is room for a part of the new only', async () => {
    const command = `ulimit -f 16; exec "${process.execPath}" "${CHILD}" "$0" 1000000`;
    const output = execFileSync('bash', ['-c', command, workplace().file], { encoding: 'utf8' });
    expect(output).to.match(/^EditRefusedError: .*can't be written \(EFBIG\); it is as it was/);
    expect(workplace().text()).to.equal(OLD);
    expect(existsSync(`${workplace().file}.tmp`)).to.equal(false);
  });

  it('keeps the owner, or the old content when it may not', async () => {
    const owner = statSync(workplace().file);
    const wanted = { ...owner, uid: owner.uid + 1, gid: owner.gid };
    stub({ stat: (async () => wanted) as unknown as typeof fs.stat });
    const action = replaceFile(workplace().file, NEW, confirmed);
    if (process.geteuid?.() !== 0) return expectUntouched(action, 'belongs to another user');
    await action;
    const { uid, gid, mode } = statSync(workplace().file);
    expect({ uid, gid, mode: mode & 0o7777 }).to.deep.equal({
      uid: wanted.uid,
      gid: wanted.gid,
      mode: wanted.mode & 0o660,
    });
  });

  it('is not led astray by what a killed process left behind', async () => {
    const elsewhere = workplace().path('elsewhere');
    writeFileSync(elsewhere, 'untouched');
    symlinkSync(elsewhere, `${workplace().file}.tmp`);
    await replaceFile(workplace().file, NEW, confirmed);
    expect(workplace().text()).to.equal(NEW);
    expect(readFileSync(elsewhere, 'utf8')).to.equal('untouched');
  });
});
