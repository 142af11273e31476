import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { readSnapshot, writeSnapshot } from '../../../../src/adapters/usage/usage-snapshot.ts';
import { programAt } from '../../../programs/program.ts';
import { type FileOperation, hookFileOperations } from '../credentials/master-key-rotation/file-operations-hook.ts';
import { sampleSnapshot, useAuditFile } from './usage-samples.ts';

const CHILD = programAt(new URL('./write-until-killed.ts', import.meta.url));
/** Three slices. */
const ACCOUNTS = 2500;

describe('A usage snapshot of a killed process', () => {
  const auditFile = useAuditFile();

  async function operationsOfWrite(): Promise<readonly FileOperation[]> {
    const operations: FileOperation[] = [];
    const restore = await hookFileOperations((operation) => operations.push(operation));
    await writeSnapshot(auditFile(), sampleSnapshot(ACCOUNTS)).finally(restore);
    return operations.filter(({ changes }) => changes);
  }

  it('is the old or the new one when killed before any operation, and the next is written', async () => {
    const all = (await operationsOfWrite()).map(({ name }) => name);
    expect(all).to.deep.equal(['rm', 'open', 'writeFile', 'writeFile', 'writeFile', 'sync', 'rename', 'sync']);
    for (const [index, name] of all.entries()) {
      await writeSnapshot(auditFile(), sampleSnapshot(7));
      const args = [CHILD, auditFile(), String(ACCOUNTS), String(index + 1)];
      const child = spawnSync(process.execPath, args, { encoding: 'utf8' });
      expect([child.signal, child.stdout, child.stderr], name).to.deep.equal(['SIGKILL', '', '']);
      const isNew = index > all.indexOf('rename');
      expect(await readSnapshot(auditFile()), `killed before ${index + 1}, ${name}`).to.deep.equal(
        isNew ? sampleSnapshot(ACCOUNTS, 2000) : sampleSnapshot(7),
      );
    }
  }).timeout(60_000);
});
