import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect } from 'chai';
import { readSnapshot, snapshotPath, writeSnapshot } from '../../../../src/adapters/usage/usage-snapshot.ts';
import { type FileOperation, hookFileOperations } from '../credentials/keyring/file-operations-hook.ts';
import { sampleSnapshot, useAuditFile } from './usage-samples.ts';

/** Three slices. */
const ACCOUNTS = 2500;

describe('A usage snapshot', () => {
  const auditFile = useAuditFile();
  const text = () => readFileSync(snapshotPath(auditFile()), 'utf8');

  it('is next to the audit file, accessible to its owner only', async () => {
    await writeSnapshot(auditFile(), sampleSnapshot(10));
    expect(readdirSync(dirname(auditFile()))).to.deep.equal(['audit.jsonl.usage']);
    expect(statSync(`${auditFile()}.usage`).mode & 0o7777).to.equal(0o600);
  });

  it('is JSON with its record and every account', async () => {
    await writeSnapshot(auditFile(), { ...sampleSnapshot(2), closed: true });
    expect(JSON.parse(text())).to.deep.equal({
      version: 1,
      seq: 1000,
      hash: `sha256:${'0a'.repeat(32)}`,
      closed: true,
      savedAt: '2026-11-20T08:50:00.000Z',
      totals: { totalSigns: 1, errorCount: 18 },
      accounts: [
        ['alpha', 'account-0', 0, null, 0],
        ['beta', 'account-1', 1, '2026-11-20T08:49:00.123Z', 1],
      ],
    });
  });

  it('round-trips any number of accounts, and replaces the previous one', async () => {
    for (const accounts of [0, 999, 1000, 1001, 2500, 3]) {
      await writeSnapshot(auditFile(), sampleSnapshot(accounts));
      expect(await readSnapshot(auditFile())).to.deep.equal(sampleSnapshot(accounts));
    }
  });

  it('yields while it is written', async () => {
    let turns = 0;
    let isWriting = true;
    const takeTurn = () => {
      turns += 1;
      if (isWriting) setImmediate(takeTurn);
    };
    setImmediate(takeTurn);
    await writeSnapshot(auditFile(), sampleSnapshot(10_000));
    isWriting = false;
    expect(turns).to.be.at.least(10);
  });

  it('ignores leftovers of a killed process', async () => {
    const elsewhere = `${auditFile()}.elsewhere`;
    writeFileSync(elsewhere, 'untouched');
    symlinkSync(elsewhere, `${snapshotPath(auditFile())}.tmp`);
    await writeSnapshot(auditFile(), sampleSnapshot(3));
    expect(await readSnapshot(auditFile())).to.deep.equal(sampleSnapshot(3));
    expect(readFileSync(elsewhere, 'utf8')).to.equal('untouched');
  });

  describe('is damaged', () => {
    type Json = { [name: string]: unknown; accounts: unknown[][] };

    it('with other fields, values or sums: reported, not thrown', async () => {
      await writeSnapshot(auditFile(), sampleSnapshot(4));
      const whole = JSON.parse(text()) as Json;
      const { closed: _, ...withoutField } = whole;
      const accounts = whole.accounts;
      for (const damaged of [
        [],
        withoutField,
        { ...whole, extra: 1 },
        { ...whole, version: 2 },
        { ...whole, seq: -1 },
        { ...whole, hash: 'sha256:0a' },
        { ...whole, hash: null },
        { ...whole, seq: 0 },
        { ...whole, accounts: accounts.map((account) => account.slice(0, 4)) },
        { ...whole, accounts: accounts.map(([, , ...counters]) => ['alpha', 'main', ...counters]) },
        { ...whole, accounts: accounts.slice(0, 3) },
        { ...whole, accounts: accounts.map(([platform, account, , ...rest]) => [platform, account, 9, ...rest]) },
        // Fewer errors than of its accounts.
        { ...whole, totals: { ...(whole['totals'] as object), errorCount: 1 } },
      ]) {
        writeFileSync(snapshotPath(auditFile()), JSON.stringify(damaged));
        expect(await readSnapshot(auditFile()), JSON.stringify(damaged)).to.deep.equal({ issue: 'is corrupt' });
      }
    });

    it('truncated anywhere: reported, not thrown', async () => {
      await writeSnapshot(auditFile(), sampleSnapshot(4));
      const whole = text();
      for (let length = 0; length < whole.trimEnd().length; length += 23) {
        writeFileSync(snapshotPath(auditFile()), whole.slice(0, length));
        expect(await readSnapshot(auditFile()), `${length} characters`).to.deep.equal({ issue: 'is corrupt' });
      }
    });

    it('a pipe, without blocking', async () => {
      execFileSync('mkfifo', [snapshotPath(auditFile())]);
      expect(await readSnapshot(auditFile())).to.deep.equal({ issue: 'is corrupt' });
    });

    it('a link, without following it', async () => {
      await writeSnapshot(auditFile(), sampleSnapshot(4));
      symlinkSync(snapshotPath(auditFile()), `${auditFile()}.link.usage`);
      expect(await readSnapshot(`${auditFile()}.link`)).to.deep.equal({ issue: 'cannot be read (ELOOP)' });
    });
  });

  it('that is interrupted by an error in any operation reports it and leaves the old or the new one', async () => {
    const operations: FileOperation[] = [];
    const restoreAll = await hookFileOperations((operation) => operations.push(operation));
    await writeSnapshot(auditFile(), sampleSnapshot(ACCOUNTS)).finally(restoreAll);
    const all = operations.filter(({ changes }) => changes);
    const names = ['rm', 'open', 'writeFile', 'writeFile', 'writeFile', 'sync', 'rename', 'sync'];
    expect(all.map(({ name }) => name)).to.deep.equal(names);
    for (const [wrong, { name }] of all.entries()) {
      await writeSnapshot(auditFile(), sampleSnapshot(7));
      let count = -1;
      const restore = await hookFileOperations(({ changes }) => {
        if (changes) count += 1;
        if (changes && count === wrong) throw Object.assign(new Error('on purpose'), { code: 'EIO', syscall: name });
      });
      const error: unknown = await writeSnapshot(auditFile(), sampleSnapshot(ACCOUNTS, 2000)).catch(
        (reason: unknown) => reason,
      );
      restore();
      expect(error, name).to.include({ code: 'EIO' });
      const isNew = wrong > all.findIndex((operation) => operation.name === 'rename');
      expect(await readSnapshot(auditFile()), `${wrong}, ${name}`).to.deep.equal(
        isNew ? sampleSnapshot(ACCOUNTS, 2000) : sampleSnapshot(7),
      );
      expect(existsSync(`${snapshotPath(auditFile())}.tmp`), name).to.equal(false);
    }
  });
});
