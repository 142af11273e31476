import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { expect } from 'chai';
import { CheckpointFile } from '../../../../../src/adapters/audit/checkpoint/checkpoint-file.ts';
import { useTemporaryFolder } from '../../secret-files/temporary-folder.ts';
import { sampleCheckpoint } from './sample-checkpoint.ts';

describe('CheckpointFile', () => {
  const folder = useTemporaryFolder();
  let path: string;

  beforeEach(() => {
    path = folder.path('checkpoints.jsonl');
  });

  const save = (seq: number) => new CheckpointFile(path).save(sampleCheckpoint(seq));
  const modeOf = (file: string) => statSync(file).mode & 0o777;
  const textOf = (file: string) => readFileSync(file, 'utf8');

  it('is created readable to the group, with any umask', async () => {
    const umask = process.umask(0o077);
    await save(1).finally(() => process.umask(umask));
    expect(modeOf(path)).to.equal(0o640);
  });

  it('begins a new file with the mode of the one before when that was moved', async () => {
    const file = new CheckpointFile(path);
    await file.save(sampleCheckpoint(1));
    chmodSync(path, 0o644);
    await file.save(sampleCheckpoint(2));
    renameSync(path, `${path}.1`);
    await file.save(sampleCheckpoint(3));
    expect(textOf(`${path}.1`)).to.match(/^\{"instanceId":"signer-1","seq":1,.*\}\n\{.*"seq":2,.*\}\n$/);
    expect(textOf(path)).to.match(/^\{.*"seq":3,.*\}\n$/);
    expect(modeOf(path)).to.equal(0o644);
  });

  it('begins a new line after part of one', async () => {
    await save(1);
    appendFileSync(path, '{"instanceId":"sig');
    await save(2);
    expect(textOf(path)).to.match(/"sig\n\{"instanceId":"signer-1","seq":2,/);
  });

  it('changes no file of something else, such as the audit file under another path', async () => {
    for (const content of ['{"v":2,"seq":1}\n', '{\n  "accounts": []\n}\n', 'x', '\n']) {
      folder.file('checkpoints.jsonl', content);
      expect(await save(1).catch(String)).to.include('contains something other than checkpoints');
      expect(textOf(path)).to.equal(content);
    }
    for (const part of ['', '{', '{"instanceId":"sig']) {
      folder.file('checkpoints.jsonl', part);
      await save(1);
    }
  });

  it('refuses a link, a folder and a pipe without waiting, and a folder that does not exist', async () => {
    symlinkSync(folder.path('target'), folder.path('link'));
    mkdirSync(folder.path('folder'));
    execFileSync('mkfifo', [folder.path('pipe')]);
    for (const name of ['link', 'folder', 'pipe', 'missing/file']) {
      path = folder.path(name);
      expect(await save(1).catch(String), name).to.match(/ELOOP|EISDIR|is not a regular file|ENOENT/);
    }
  });
});
