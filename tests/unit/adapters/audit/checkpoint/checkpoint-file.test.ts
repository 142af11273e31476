import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { CheckpointFile } from '../../../../../src/adapters/audit/checkpoint/checkpoint-file.ts';
import type { AuditCheckpoint } from '../../../../../src/domain/model/audit-entry.ts';

const checkpoint = (seq: number): AuditCheckpoint => ({
  instanceId: 'signer-1',
  seq,
  time: '2026-11-20T08:49:00.123Z',
  hash: `sha256:${'0a'.repeat(32)}`,
  sig: `${'A'.repeat(86)}==`,
});

describe('CheckpointFile', () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'checkpoint-file-'));
    path = join(folder, 'checkpoints.jsonl');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const modeOf = (file: string) => statSync(file).mode & 0o777;
  const seqs = (file = path) =>
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).seq);

  it('is created readable to the group, with any umask', async () => {
    const umask = process.umask(0o077);
    try {
      await new CheckpointFile(path).save(checkpoint(1));
    } finally {
      process.umask(umask);
    }
    expect(modeOf(path)).to.equal(0o640);
  });

  it('begins a new file with the mode of the one before when that was moved', async () => {
    const file = new CheckpointFile(path);
    await file.save(checkpoint(1));
    chmodSync(path, 0o644);
    await file.save(checkpoint(2));
    renameSync(path, `${path}.1`);
    await file.save(checkpoint(3));
    expect([seqs(`${path}.1`), seqs()]).to.deep.equal([[1, 2], [3]]);
    expect(modeOf(path)).to.equal(0o644);
  });

  it('begins a new line after part of one', async () => {
    const file = new CheckpointFile(path);
    await file.save(checkpoint(1));
    appendFileSync(path, '{"instanceId":"sig');
    await file.save(checkpoint(2));
    expect(readFileSync(path, 'utf8')).to.match(/"sig\n\{"instanceId":"signer-1","seq":2,/);
  });

  it('changes no file of something else, such as the audit file under another path', async () => {
    for (const content of ['{"v":2,"seq":1}\n', '{\n  "accounts": []\n}\n', 'x', '\n']) {
      writeFileSync(path, content);
      const failure = await new CheckpointFile(path).save(checkpoint(1)).catch(String);
      expect(failure).to.include('contains something other than checkpoints');
      expect(readFileSync(path, 'utf8')).to.equal(content);
    }
    for (const part of ['', '{', '{"instanceId":"sig']) {
      writeFileSync(path, part);
      await new CheckpointFile(path).save(checkpoint(1));
    }
  });

  it('refuses a link, a folder and a pipe without waiting, and a folder that does not exist', async () => {
    symlinkSync(join(folder, 'target'), join(folder, 'link'));
    mkdirSync(join(folder, 'folder'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    for (const name of ['link', 'folder', 'pipe', 'missing/file']) {
      const error = await new CheckpointFile(join(folder, name)).save(checkpoint(1)).catch((reason: unknown) => reason);
      expect(String(error), name).to.match(/ELOOP|EISDIR|is not a regular file|ENOENT/);
    }
  });
});
