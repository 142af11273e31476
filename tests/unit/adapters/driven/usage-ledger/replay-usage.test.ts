import { copyFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { MemoryUsageLedger } from '../../../../../src/adapters/driven/usage-ledger/memory-usage-ledger.ts';
import { type Replayed, replayUsage } from '../../../../../src/adapters/driven/usage-ledger/replay-usage.ts';
import { type ChainHead, EMPTY_CHAIN, sha256Of } from '../../../../../src/audit-trail/audit-record.ts';
import { AuditUnavailableError } from '../../../../../src/domain/model/errors.ts';
import { AuditChain } from '../../../../doubles/audit-chain.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { countAll } from './count-all.ts';
import { useAuditFile } from './temporary-audit-file.ts';

const BESIDE = /^(?=.*audit\.jsonl\.usage)/;

/**
 * Three files: records 1 to 12, 13 to 24 and 25 to 36, of which the first of each is a segment
 * record and the last of the first two are signed.
 */
function threeFiles(): AuditChain {
  const chain = new AuditChain();
  for (let file = 0; file < 3; file += 1) {
    if (file > 0) chain.beginSegment('size');
    for (let i = 0; i < 11; i += 1) {
      chain.append(sampleAuditEntry({ accountId: `a${i % 3}`, outcome: i % 4 === 0 ? 'failed' : 'success' }));
    }
    if (file < 2) chain.sign();
  }
  return chain;
}

/** The place of a record: its number and the hash of its line. */
function placeOf(chain: AuditChain, seq: number): ChainHead {
  if (seq === 0) return EMPTY_CHAIN;
  return { seq, hash: sha256Of(chain.lines[seq - 1] ?? '') };
}

async function rejection(promise: Promise<unknown>): Promise<Error> {
  const error: unknown = await promise.then(
    () => expect.fail('should have rejected'),
    (reason: unknown) => reason,
  );
  expect(error).to.be.instanceOf(AuditUnavailableError);
  return error as Error;
}

describe('replayUsage', () => {
  const auditFile = useAuditFile();

  /** Counts the lines up to `from` by themselves, lets the rest be replayed, and expects what counting `expected` gives. */
  async function expectReplay(chain: AuditChain, from: number, expected: readonly string[]): Promise<Replayed> {
    const ledger = countAll(chain.lines.slice(0, from));
    const replayed = await replayUsage({
      auditFile: auditFile(),
      position: placeOf(chain, from),
      head: chain.head,
      ledger,
    });
    expect(ledger.state()).to.deep.equal(countAll(expected).state());
    return replayed;
  }

  const replay = (position: ChainHead, head: ChainHead, ledger = new MemoryUsageLedger()) =>
    replayUsage({ auditFile: auditFile(), position, head, ledger });

  it('counts what follows any record, over files, as counting all from the beginning does', async () => {
    const chain = threeFiles();
    chain.write(auditFile());
    expect(chain.files.map((lines) => lines.length)).to.deep.equal([12, 12, 12]);
    for (let from = 0; from <= 36; from += 1) {
      expect(await expectReplay(chain, from, chain.lines), `from ${from}`).to.deep.equal({
        records: 36 - from,
        missing: null,
      });
    }
  });

  it('finds files that another program has renamed', async () => {
    const chain = threeFiles();
    const [first = '', second = ''] = chain.write(auditFile());
    renameSync(first, `${auditFile()}.2`);
    renameSync(second, `${auditFile()}.1`);
    expect((await expectReplay(chain, 0, chain.lines)).records).to.equal(36);
  });

  it('finds the records where the audit file itself was moved away', async () => {
    const chain = threeFiles();
    chain.write(auditFile());
    renameSync(auditFile(), `${auditFile()}.1`);
    expect((await expectReplay(chain, 20, chain.lines)).records).to.equal(16);
  });

  it('takes no record of another chain that lies beside it, nor of a copy that was cut', async () => {
    const chain = threeFiles();
    const [first = ''] = chain.write(auditFile());
    const other = new AuditChain();
    for (let i = 0; i < 11; i += 1) other.append(sampleAuditEntry({ accountId: 'other' }));
    writeFileSync(`${auditFile()}.other`, other.text());
    writeFileSync(`${auditFile()}.cut`, `${(chain.files[1] ?? []).slice(0, 5).join('\n')}\n`);
    copyFileSync(first, `${auditFile()}.copy`);
    expect((await expectReplay(chain, 0, chain.lines)).records).to.equal(36);
  });

  it('leaves out a last line that was torn', async () => {
    const chain = threeFiles();
    chain.write(auditFile());
    writeFileSync(auditFile(), `${chain.text()}{"v":2,"seq":37,"time"`);
    expect((await expectReplay(chain, 3, chain.lines)).records).to.equal(33);
  });

  it('reads many records that are longer than one block', async () => {
    const chain = new AuditChain();
    const data = { note: 'x'.repeat(2000) };
    for (let i = 0; i < 1500; i += 1) chain.append(sampleAuditEntry({ accountId: `a${i % 7}`, data }));
    chain.write(auditFile());
    for (const from of [0, 1, 700, 1499]) await expectReplay(chain, from, chain.lines);
  });

  it('counts to the head, and not what is added while it reads', async () => {
    const chain = threeFiles();
    chain.write(auditFile());
    const { head } = chain;
    const upTo = chain.lines;
    chain.append();
    let counted = 0;
    const all = countAll([]);
    const count = all.count.bind(all);
    all.count = (record) => {
      counted += 1;
      count(record);
      if (counted === 1) chain.write(auditFile());
    };
    const replayed = await replayUsage({ auditFile: auditFile(), position: EMPTY_CHAIN, head, ledger: all });
    expect(replayed.records).to.equal(36);
    expect(all.state()).to.deep.equal(countAll(upTo).state());
  });

  it('reads no file when nothing follows', async () => {
    const head = { seq: 7, hash: `sha256:${'0c'.repeat(32)}` };
    expect(await replay(head, head)).to.deep.equal({ records: 0, missing: null });
    expect(await replay(EMPTY_CHAIN, EMPTY_CHAIN)).to.deep.equal({ records: 0, missing: null });
  });

  describe('where earlier files are gone', () => {
    it('goes on from a position in those that are there, or right before them', async () => {
      const chain = threeFiles();
      const [first = '', second = ''] = chain.write(auditFile());
      rmSync(first);
      for (const from of [12, 13, 20]) expect((await expectReplay(chain, from, chain.lines)).missing).to.equal(null);
      rmSync(second);
      for (const from of [24, 25, 36]) expect((await expectReplay(chain, from, chain.lines)).missing).to.equal(null);
    });

    it('counts what is there, and says which records are missing', async () => {
      const chain = threeFiles();
      const [first = '', second = ''] = chain.write(auditFile());
      rmSync(first);
      expect(await expectReplay(chain, 0, chain.lines.slice(12))).to.deep.equal({
        records: 24,
        missing: { from: 1, to: 12 },
      });
      rmSync(second);
      expect(await expectReplay(chain, 0, chain.lines.slice(24))).to.deep.equal({
        records: 12,
        missing: { from: 1, to: 24 },
      });
    });

    it('goes on behind a gap from an older position, and says which records are missing', async () => {
      const chain = threeFiles();
      const [, second = ''] = chain.write(auditFile());
      rmSync(second);
      const counted = [...chain.lines.slice(0, 5), ...chain.lines.slice(24)];
      expect(await expectReplay(chain, 5, counted)).to.deep.equal({ records: 12, missing: { from: 6, to: 24 } });
    });

    it('says so when all of them are gone', async () => {
      const chain = threeFiles();
      expect(await expectReplay(chain, 30, chain.lines.slice(0, 30))).to.deep.equal({
        records: 0,
        missing: { from: 31, to: 36 },
      });
    });
  });

  describe('refuses', () => {
    it('a chain that ends before the position: it was cut', async () => {
      const chain = threeFiles();
      chain.write(auditFile());
      const { message } = await rejection(replay({ ...placeOf(chain, 36), seq: 37 }, chain.head));
      expect(message).to.include(`The audit file ${auditFile()} ends with record 36`).and.include('knows of record 37');
      expect(message)
        .to.include(`move ${auditFile()}.usage to another folder`)
        .and.match(/Put the right file back/);
    });

    it('an audit file without records where there were some', async () => {
      const { message } = await rejection(replay({ seq: 5, hash: `sha256:${'0c'.repeat(32)}` }, EMPTY_CHAIN));
      expect(message).to.include('holds no records').and.include('knows of record 5').and.match(BESIDE);
    });

    for (const [where, seq] of [
      ['at its head', 36],
      ['inside a file', 30],
      ['at the beginning of a file', 25],
      ['at the end of an earlier file', 12],
      ['in an earlier file', 5],
    ] as const) {
      it(`a chain with another record at the position, ${where}: the file was replaced`, async () => {
        const chain = threeFiles();
        chain.write(auditFile());
        const ledger = new MemoryUsageLedger();
        const { message } = await rejection(replay({ seq, hash: `sha256:${'0c'.repeat(32)}` }, chain.head, ledger));
        expect(message).to.include(`${auditFile()} has another record ${seq}`).and.match(BESIDE);
        expect(ledger.totals()).to.deep.equal({ totalSigns: 0, errorCount: 0 });
      });
    }

    it('a first file that does not follow the position, whose own file is gone', async () => {
      const chain = threeFiles();
      const [first = ''] = chain.write(auditFile());
      rmSync(first);
      const { message } = await rejection(replay({ seq: 12, hash: `sha256:${'0c'.repeat(32)}` }, chain.head));
      expect(message).to.include('has another record 12');
    });

    const damages: { readonly [what: string]: (lines: string[]) => void } = {
      'a record that was altered': (lines) => {
        lines[4] = (lines[4] ?? '').replace('"accountId":"a0"', '"accountId":"a1"');
      },
      'a record that was taken out': (lines) => {
        lines.splice(4, 1);
      },
      'two records that were exchanged': (lines) => {
        lines.splice(4, 2, lines[5] ?? '', lines[4] ?? '');
      },
      'what is no record': (lines) => {
        lines[4] = 'not a record';
      },
      'a line of any length': (lines) => {
        lines[4] = 'x'.repeat(3_000_000);
      },
      'a record of another chain': (lines) => {
        lines[4] = threeFiles().files[1]?.[4] ?? '';
      },
    };
    for (const [what, damage] of Object.entries(damages)) {
      it(`${what}, and names its file and line`, async () => {
        const chain = threeFiles();
        const [, second = ''] = chain.write(auditFile());
        const lines = [...(chain.files[1] ?? [])];
        damage(lines);
        writeFileSync(second, `${lines.join('\n')}\n`);
        const { message } = await rejection(replay(placeOf(chain, 2), chain.head));
        // What was altered shows in the line behind it, which has the hash of what stood there.
        const line = what === 'a record that was altered' ? 6 : 5;
        expect(message).to.include(`${second}, line ${line}: `).and.include('signing-service audit verify');
        expect(message).not.to.include('xxx');
      });
    }

    it('files that can not be read, and names the cause', async () => {
      const chain = threeFiles();
      rmSync(dirname(auditFile()), { recursive: true });
      const { message } = await rejection(replay(EMPTY_CHAIN, chain.head));
      expect(message)
        .to.include(join(dirname(auditFile()), 'audit.jsonl'))
        .and.include('ENOENT');
    });
  });
});
