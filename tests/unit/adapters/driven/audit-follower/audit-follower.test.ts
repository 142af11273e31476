import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { AuditFollower } from '../../../../../src/adapters/driven/audit-follower/audit-follower.ts';
import { sha256Of } from '../../../../../src/audit-trail/audit-record.ts';
import { rotatedPath } from '../../../../../src/audit-trail/segment-files.ts';
import type { FollowRequest } from '../../../../../src/domain/model/audit-sighting.ts';
import { OperatorError } from '../../../../../src/domain/model/errors.ts';
import { describeAuditFollowerContract } from '../../../../contracts/audit-follower-contract.ts';
import { AuditChain } from '../../../../doubles/audit-chain.ts';
import { FollowedSightings } from '../../../../doubles/followed-sightings.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';

const POLL_MS = 15;

describeAuditFollowerContract('file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-follower-'));
  const file = join(folder, 'audit.jsonl');
  return {
    follower: new AuditFollower(POLL_MS),
    file,
    append: (text) => appendFileSync(file, text),
    rotate: (firstSeq, lastSeq) => renameSync(file, rotatedPath(file, firstSeq, lastSeq)),
    dispose: async () => rmSync(folder, { recursive: true }),
  };
});

describe('AuditFollower', () => {
  let folder: string;
  let file: string;
  let running: FollowedSightings | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'audit-follower-'));
    file = join(folder, 'audit.jsonl');
  });
  afterEach(async () => {
    await running?.stop().catch(() => undefined);
    running = undefined;
    rmSync(folder, { recursive: true });
  });

  function follow(request: Partial<FollowRequest> = {}): FollowedSightings {
    running = new FollowedSightings(new AuditFollower(POLL_MS), { file, from: { lines: 1_000_000 }, ...request });
    return running;
  }

  /** Adds so many records and writes them to the file. */
  function write(chain: AuditChain, records: number): void {
    const before = chain.lines.length;
    for (let count = 0; count < records; count += 1) chain.append(sampleAuditEntry({ correlationId: `c-${count}` }));
    appendFileSync(file, textOf(chain.lines.slice(before)));
  }

  /** A chain whose first records stand in the file and were followed. */
  async function followed(records: number): Promise<{ chain: AuditChain; sightings: FollowedSightings }> {
    const chain = new AuditChain();
    appendFileSync(file, chain.text());
    write(chain, records);
    const sightings = follow();
    await sightings.until({ records: records + 1 });
    return { chain, sightings };
  }

  async function expectWholeChain(chain: AuditChain, sightings: FollowedSightings): Promise<void> {
    await sightings.until({ records: chain.lines.length });
    await sleep(5 * POLL_MS);
    expect(sightings.lines).to.deep.equal(chain.lines);
  }

  it('loses and repeats nothing over 70 rotations while a writer appends', async () => {
    const chain = new AuditChain();
    appendFileSync(file, chain.text());
    const sightings = follow();
    for (let rotation = 0; rotation < 70; rotation += 1) {
      for (let burst = 0; burst < 3; burst += 1) {
        write(chain, 5);
        await nextTurn();
      }
      if (rotation % 7 === 0) await sleep(POLL_MS);
      const seqs = (chain.files.at(-1) ?? []).map((line) => JSON.parse(line).seq);
      renameSync(file, rotatedPath(file, seqs[0], seqs.at(-1)));
      if (rotation % 5 === 0) await sleep(POLL_MS);
      chain.beginSegment('size');
      appendFileSync(file, textOf(chain.lines.slice(-1)));
    }
    await expectWholeChain(chain, sightings);
    expect(sightings.notices).to.deep.equal([]);
    expect(chain.lines.length).to.be.at.least(1120);
  });

  it('reads the old file to its end when its writer goes on in it after logrotate made the new one', async () => {
    const { chain, sightings } = await followed(3);
    renameSync(file, `${file}.1`);
    writeFileSync(file, '');
    await sleep(4 * POLL_MS);
    const before = chain.lines.length;
    chain.append();
    appendFileSync(`${file}.1`, textOf(chain.lines.slice(before)));
    await sightings.until({ records: chain.lines.length });
    chain.append();
    appendFileSync(`${file}.1`, textOf(chain.lines.slice(-1)));
    chain.beginSegment('reopened');
    appendFileSync(file, chain.text());
    await expectWholeChain(chain, sightings);
    expect(sightings.notices).to.deep.equal([]);
  });

  it('reads what was added to the old file after it was read, before it was removed and made again', async () => {
    const chain = new AuditChain();
    appendFileSync(file, chain.text());
    const request = { file, from: { lines: 10 }, isWanted: null, follow: true, signal: { aborted: false } };
    const sightings = new AuditFollower(POLL_MS).follow(request);
    const given = [await sightings.next()];
    // The follower stands behind the last line that it saw, and has not looked at the path again.
    write(chain, 2);
    rmSync(file);
    chain.beginSegment('removed');
    appendFileSync(file, chain.text());
    while (given.length < 4) given.push(await sightings.next());
    await sightings.return(undefined);
    expect(given.map(({ value }) => value.kind === 'record' && value.line)).to.deep.equal(chain.lines);
  });

  it('knows which records come next also when it gave none yet', async () => {
    const chain = new AuditChain();
    appendFileSync(file, chain.text());
    const sightings = follow({ from: { lines: 0 } });
    await sleep(10 * POLL_MS);
    renameSync(file, rotatedPath(file, 1, 1));
    chain.beginSegment('size');
    chain.append();
    writeFileSync(rotatedPath(file, 2, 3), chain.text());
    chain.beginSegment('size');
    appendFileSync(file, chain.text());
    await sightings.until({ records: 3 });
    expect(sightings.lines).to.deep.equal(chain.lines.slice(1));
  });

  it('takes only what is missing from a copy that holds more', async () => {
    const chain = new AuditChain();
    for (let count = 0; count < 6; count += 1) chain.append();
    writeFileSync(join(folder, 'audit.jsonl.copy'), chain.text());
    writeFileSync(file, textOf(chain.lines.toSpliced(2, 2)));
    const sightings = follow({ follow: false });
    await sightings.ended();
    expect(sightings.lines).to.deep.equal(chain.lines);
    expect(sightings.notices).to.deep.equal([]);
  });

  it('notices that what it read was written over behind the first record', async () => {
    const { chain, sightings } = await followed(2);
    const first = chain.lines[0] ?? '';
    const other = new AuditChain({ head: headOf(first) });
    for (let count = 0; count < 50; count += 1) other.append();
    writeFileSync(file, textOf([first, ...other.lines]));
    await sightings.until({ records: 3 + 1 + other.lines.length });
    expect(sightings.notices[0]).to.match(/was truncated or written anew/);
    expect(sightings.lines.slice(3)).to.deep.equal([first, ...other.lines]);
  });

  it('finds the records of a file that was copied and truncated in the copy', async () => {
    const { chain, sightings } = await followed(5);
    write(chain, 3);
    copyFileSync(file, `${file}.1`);
    truncateSync(file);
    chain.beginSegment('truncated');
    appendFileSync(file, textOf(chain.lines.slice(-1)));
    await expectWholeChain(chain, sightings);
    expect(sightings.notices).to.have.length(1);
    expect(sightings.notices[0])
      .to.contain(file)
      .and.match(/truncated/);
  });

  it('notices that a file was truncated also when it is longer again than it was', async () => {
    const { chain, sightings } = await followed(2);
    truncateSync(file);
    const before = chain.lines.length;
    chain.beginSegment('truncated');
    for (let count = 0; count < 50; count += 1) chain.append();
    appendFileSync(file, textOf(chain.lines.slice(before)));
    await expectWholeChain(chain, sightings);
  });

  it('goes on when its last lines are taken back, and repeats none of those before', async () => {
    const { chain, sightings } = await followed(5);
    const kept = textOf(chain.lines.slice(0, 4));
    truncateSync(file, Buffer.byteLength(kept));
    await sightings.until({ notices: 1 });
    const other = new AuditChain({ head: headOf(chain.lines[3] ?? '') });
    other.append();
    appendFileSync(file, other.text());
    await sightings.until({ records: 8 });
    expect(sightings.lines).to.deep.equal([...chain.lines, ...other.lines]);
    expect(sightings.notices).to.have.length(1);
    expect(sightings.notices[0]).to.match(/last lines were taken back/);
  });

  it('goes on when the file was removed and made again', async () => {
    const { chain, sightings } = await followed(3);
    write(chain, 2);
    rmSync(file);
    await sleep(4 * POLL_MS);
    chain.beginSegment('removed');
    appendFileSync(file, chain.text());
    await expectWholeChain(chain, sightings);
    expect(sightings.notices).to.deep.equal([]);
  });

  it('tells which records went with files that were deleted', async () => {
    const { chain, sightings } = await followed(1);
    renameSync(file, `${file}.gone`);
    chain.beginSegment('size');
    chain.append();
    chain.beginSegment('size');
    appendFileSync(file, chain.text());
    await sightings.until({ records: 3 });
    expect(sightings.notices).to.deep.equal(['records 3 to 4 were not found in any file']);
    expect(sightings.lines).to.deep.equal(chain.lines.toSpliced(2, 2));
  });

  it('tells where another chain begins', async () => {
    const { chain, sightings } = await followed(2);
    renameSync(file, join(folder, 'elsewhere'));
    const other = new AuditChain();
    appendFileSync(file, other.text());
    await sightings.until({ records: 4 });
    expect(sightings.notices).to.deep.equal(['record 1 stands behind record 3: another chain begins']);
    expect(sightings.lines).to.deep.equal([...chain.lines, ...other.lines]);
  });

  it('does not take the files of another service in the same folder for its own', async () => {
    const foreign = new AuditChain({ instanceId: 'other' });
    foreign.append();
    writeFileSync(join(folder, 'audit-other.jsonl'), foreign.text());
    const sightings = follow();
    await sightings.until({ notices: 1 });
    const chain = new AuditChain();
    appendFileSync(file, chain.text());
    await expectWholeChain(chain, sightings);
  });

  it('begins in the newest rotated file while there is none of its own name', async () => {
    const chain = new AuditChain({});
    for (let count = 0; count < 5; count += 1) chain.append();
    writeFileSync(rotatedPath(file, 1, 6), chain.text());
    chain.beginSegment('size', undefined, '2026-11-20T08:59:00.000Z');
    for (let count = 0; count < 5; count += 1) chain.append(sampleAuditEntry({ time: '2026-11-20T08:59:00.000Z' }));
    writeFileSync(rotatedPath(file, 7, 12), chain.text());
    const sightings = follow({ from: { lines: 2 } });
    await sightings.until({ records: 2 });
    chain.beginSegment('size');
    appendFileSync(file, chain.text());
    await sightings.until({ records: 3 });
    expect(sightings.lines).to.deep.equal(chain.lines.slice(-3));
    expect(sightings.notices).to.deep.equal([]);
  });

  it('takes the last lines from the rotated file when the new one is empty yet', async () => {
    const chain = new AuditChain();
    for (let count = 0; count < 5; count += 1) chain.append();
    writeFileSync(`${file}.1`, chain.text());
    writeFileSync(file, '');
    const sightings = follow({ from: { lines: 2 }, follow: false });
    await sightings.ended();
    expect(sightings.lines).to.deep.equal(chain.lines.slice(-2));
  });

  it('finds the last lines of a file of several mebibytes, wherever a block ends', async () => {
    const chain = new AuditChain({});
    const data = { note: 'x'.repeat(9000) };
    for (let count = 0; count < 300; count += 1) chain.append(sampleAuditEntry({ data }));
    writeFileSync(file, chain.text());
    for (const lines of [1, 115, 116, 117, 250, 301]) {
      const sightings = follow({ from: { lines }, follow: false });
      await sightings.ended();
      expect(sightings.lines).to.deep.equal(chain.lines.slice(-lines));
    }
  });

  it('passes over garbage without end in bounded memory', async () => {
    const chain = new AuditChain();
    appendFileSync(file, chain.text());
    appendFileSync(file, `${'x'.repeat(8 * 1024 * 1024)}\n`);
    chain.append();
    appendFileSync(file, textOf(chain.lines.slice(-1)));
    const sightings = follow({ follow: false });
    await sightings.ended();
    expect(sightings.sightings.map(({ kind }) => kind)).to.deep.equal(['record', 'notice', 'record']);
    expect(sightings.notices[0]).to.match(/is no text of less than 65536 bytes$/);
  });

  it('says why a path can not be followed: a folder, a pipe', async () => {
    mkdirSync(join(folder, 'folder'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    for (const name of ['folder', 'pipe']) {
      const error = await follow({ file: join(folder, name) })
        .ended()
        .then(
          () => null,
          (reason: unknown) => reason,
        );
      expect(error).to.be.instanceOf(OperatorError).with.property('message').that.contains('no regular file');
    }
  });

  it('tells once that the next file can not be read, and goes on when it can', async () => {
    const { chain, sightings } = await followed(1);
    renameSync(file, `${file}.1`);
    mkdirSync(file);
    await sightings.until({ notices: 1 });
    await sleep(5 * POLL_MS);
    expect(sightings.notices).to.deep.equal([`${file} is no regular file: name the audit file`]);
    rmdirSync(file);
    chain.beginSegment('reopened');
    writeFileSync(file, chain.text());
    await expectWholeChain(chain, sightings);
  });
});

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function headOf(line: string) {
  return { seq: JSON.parse(line).seq, hash: sha256Of(line) };
}
