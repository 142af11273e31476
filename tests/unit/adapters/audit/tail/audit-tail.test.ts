import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { gzipPath, recoveredPath, segmentPath } from '../../../../../src/adapters/audit/segments/segment-names.ts';
import { AuditTail } from '../../../../../src/adapters/audit/tail/audit-tail.ts';
import { sha256Of } from '../../../../../src/adapters/node/sha256.ts';
import type { FollowRequest } from '../../../../../src/domain/model/audit-entry.ts';
import { AuditChain } from '../../../../doubles/audit-chain.ts';
import { FollowedEvents } from '../../../../doubles/followed-events.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { useTemporaryFolder } from '../../secret-files/temporary-folder.ts';

const POLL_MS = 15;

describe('AuditTail', () => {
  const folder = useTemporaryFolder();
  let file: string;
  let chain: AuditChain;
  /** Lines of the chain that were written. */
  let written: number;
  let running: FollowedEvents[];

  beforeEach(() => {
    file = folder.path('audit.jsonl');
    chain = new AuditChain({ time: timeOf(0) });
    written = 0;
    running = [];
  });
  afterEach(() => Promise.all(running.map((events) => events.stop().catch(() => undefined))));

  function follow(request: Partial<FollowRequest> = {}, tail = new AuditTail(POLL_MS)): FollowedEvents {
    const events = new FollowedEvents(tail, { file, from: { lines: 1_000_000 }, ...request });
    running.push(events);
    return events;
  }

  async function read(request: Partial<FollowRequest> = {}): Promise<FollowedEvents> {
    const events = follow({ follow: false, ...request });
    await events.ended();
    return events;
  }

  /** Exactly these lines, without notices. */
  function expectLines({ lines, notices }: FollowedEvents, expected = chain.lines): void {
    expect({ lines, notices }).to.deep.equal({ lines: expected, notices: [] });
  }

  /** Appends records, one a minute, and writes them; returns the path of their segment. */
  function write(records: number, fields: Parameters<typeof sampleAuditEntry>[0] = {}): string {
    for (let count = 0; count < records; count += 1) {
      chain.append(sampleAuditEntry({ time: timeOf(chain.head.seq), correlationId: `c-${count}`, ...fields }));
    }
    const path = segmentPath(file, chain.lines.length - (chain.files.at(-1) ?? []).length + 1);
    appendFileSync(path, toText(chain.lines.slice(written)));
    written = chain.lines.length;
    return path;
  }

  /** Begins the next segment, whose first record is not written yet. */
  function beginSegment(): void {
    chain.beginSegment('size', undefined, timeOf(chain.head.seq));
  }

  /** Three segments of four records each; returns their paths. */
  function writeThree(): readonly string[] {
    return [0, 1, 2].map((index) => {
      if (index > 0) beginSegment();
      return write(3);
    });
  }

  function compress(path: string): void {
    writeFileSync(gzipPath(path), gzipSync(readFileSync(path)));
    rmSync(path);
  }

  it('returns the last lines verbatim, with their records, and ends if not following', async () => {
    write(30);
    const expected = chain.lines.slice(-4).map((line) => ({ kind: 'record', record: JSON.parse(line), line }));
    expect((await read({ from: { lines: 4 } })).events).to.deep.equal(expected);
    expect((await read({ from: { lines: 0 } })).events).to.deep.equal([]);
  });

  it('begins in older segments if the last lines or the time need it, also in compressed ones', async () => {
    const [first = '', second = ''] = writeThree();
    for (const compressed of [null, second, first]) {
      if (compressed !== null) compress(compressed);
      for (const lines of [1, 4, 5, 8, 11, 12, 100])
        expectLines(await read({ from: { lines } }), chain.lines.slice(-lines));
      for (const minute of [0, 1, 3, 4, 7, 9, 11, 12]) {
        const since = timeOf(minute);
        const expected = chain.lines.filter((line) => JSON.parse(line).time >= since);
        expectLines(await read({ from: { since } }), expected);
      }
    }
  });

  it('returns everything from the first record at or after a time, even if the clock was set back', async () => {
    for (const minute of [1, 20, 10, 21]) write(1, { time: timeOf(minute) });
    expectLines(await read({ from: { since: timeOf(15) } }), chain.lines.slice(2));
  });

  it('returns only the wanted records, starting with the last of the existing ones', async () => {
    for (let count = 0; count < 4; count += 1) {
      if (count === 2) beginSegment();
      write(1, { accountId: 'rare' });
      write(50);
    }
    const wanted = chain.lines.filter((line) => JSON.parse(line).accountId === 'rare');
    const events = follow({ from: { lines: 3 }, isWanted: ({ accountId }) => accountId === 'rare' });
    await events.until({ records: 3 });
    write(1);
    write(1, { accountId: 'rare' });
    await events.until({ records: 4 });
    expectLines(events, [...wanted.slice(-3), ...chain.lines.slice(-1)]);
  });

  it('returns a line written in two halves once, in full', async () => {
    const path = write(1);
    const events = follow();
    await events.until({ records: 2 });
    chain.append();
    const line = chain.lines.at(-1) ?? '';
    appendFileSync(path, line.slice(0, 100));
    await sleep(5 * POLL_MS);
    expect(events.events).to.have.length(2);
    appendFileSync(path, `${line.slice(100)}\n`);
    await events.until({ records: 3 });
    expectLines(events);
  });

  it('loses and repeats nothing over many rotations during writes', async () => {
    write(1);
    // Always between two steps, so that a write falls between any two.
    const events = follow({}, new AuditTail(0));
    for (let rotation = 0; rotation < 200; rotation += 1) {
      // The next segment exists, and the old one is written to until that has a record.
      writeFileSync(segmentPath(file, chain.lines.length + 3), '');
      if (rotation % 7 === 0) await sleep(POLL_MS);
      write(2);
      beginSegment();
      write(0);
      for (let turn = rotation % 10; turn > 0; turn -= 1) await nextTurn();
    }
    await events.until({ records: chain.lines.length });
    await sleep(5 * POLL_MS);
    expectLines(events);
    expect(chain.lines).to.have.length(602);
  });

  it('waits for a missing file, reports it, and returns all of it once it exists', async () => {
    const events = follow({ from: { lines: 1 } });
    await events.until({ notices: 1 });
    write(4);
    await events.until({ records: 5 });
    expect(events.lines).to.deep.equal(chain.lines);
  });

  it('ends when stopped while waiting for a file or for a line', async () => {
    const waiting = follow();
    await waiting.until({ notices: 1 });
    await waiting.stop();
    write(1);
    const following = follow();
    await following.until({ records: 2 });
    await following.stop();
    expect(following.lines).to.have.length(2);
  });

  it('reads one segment by its name, or a copy under any name', async () => {
    const [, second = ''] = writeThree();
    const copy = folder.file('copy.gz', gzipSync(readFileSync(second)));
    for (const name of [second, copy])
      expectLines(await read({ file: name, from: { lines: 3 } }), chain.lines.slice(5, 8));
  });

  it('reads the recovered copy of a segment, and none of the files that had its name', async () => {
    const [, second = '', third = ''] = writeThree();
    renameSync(second, recoveredPath(second));
    writeFileSync(second, 'another file\n');
    renameSync(third, segmentPath(file, 9, 2));
    writeFileSync(third, 'another file\n');
    expectLines(await read());
  });

  it('passes over files of other programs that have the name of a segment', async () => {
    write(2);
    const events = follow();
    await events.until({ records: 3 });
    for (const [seq, content] of [
      [3, ''],
      [4, 'another file\n'],
      [50, `${chain.lines[0]}\n`],
    ] as const)
      writeFileSync(segmentPath(file, seq), content);
    mkdirSync(segmentPath(file, 51));
    await sleep(5 * POLL_MS);
    write(3);
    await events.until({ records: 6 });
    beginSegment();
    write(2);
    await events.until({ records: 9 });
    expectLines(events);
    for (const lines of [1, 4, 100]) expectLines(await read({ from: { lines } }), chain.lines.slice(-lines));
  });

  it('reports lines that are no records in place, with their offsets also after one that is too long', async () => {
    const path = write(2);
    const [first = '', second = '', third = ''] = chain.lines;
    writeFileSync(path, toText([first, 'x'.repeat(3_000_000), second, 'no record', third]));
    const { lines, events, notices } = await read();
    expect(lines).to.deep.equal(chain.lines);
    expect(events.map(({ kind }) => kind)).to.deep.equal(['record', 'notice', 'record', 'notice', 'record']);
    expect(notices).to.deep.equal([
      `${path}: the line at byte ${first.length + 1}, after record 1, is not an audit record`,
      `${path}: the line at byte ${first.length + second.length + 3_000_003}, after record 2, is not an audit record`,
    ]);
  });

  it('reports an altered record at the record after it', async () => {
    const path = write(3);
    const altered = chain.lines.map((line, index) => (index === 2 ? line.replace('"main"', '"mine"') : line));
    // A line that is no record explains only the record after it.
    writeFileSync(path, toText(altered.toSpliced(1, 0, 'no record')));
    const notice = 'record 4 follows record 3 but does not continue its chain: run `signing-service audit verify`';
    for (const lines of [1, 4]) expect((await read({ from: { lines } })).notices.at(-1)).to.equal(notice);
  });

  it('reports records lost with deleted segments', async () => {
    const [, second = ''] = writeThree();
    rmSync(second);
    const { lines, notices } = await read();
    expect(lines).to.deep.equal(chain.lines.toSpliced(4, 4));
    expect(notices).to.deep.equal(['records 5 to 8 were not found in any file']);
  });

  it('reports a compressed segment that is damaged, and continues with the next', async () => {
    const [, second = ''] = writeThree();
    writeFileSync(gzipPath(second), gzipSync(readFileSync(second)).subarray(0, -20));
    rmSync(second);
    for (const lines of [6, 100]) {
      const events = await read({ from: { lines } });
      expect(events.lines.slice(-4)).to.deep.equal(chain.lines.slice(-4));
      expect(events.notices[0]).to.include(`${gzipPath(second)} `);
    }
  });

  it('continues after the last lines of a segment were removed, without repeating earlier ones', async () => {
    const path = write(5);
    const events = follow();
    await events.until({ records: 6 });
    const removed = toText(chain.lines.slice(4)).length;
    truncateSync(path, toText(chain.lines.slice(0, 4)).length);
    await events.until({ notices: 1 });
    const other = new AuditChain({ head: { seq: 4, hash: sha256Of(chain.lines[3] ?? '') } });
    other.append();
    appendFileSync(path, other.text());
    await events.until({ records: 8 });
    expect(events.lines).to.deep.equal([...chain.lines, ...other.lines]);
    expect(events.notices).to.deep.equal([
      `${path} was shortened by ${removed} bytes: its last lines were removed`,
      'record 5 follows record 6 but does not continue its chain: run `signing-service audit verify`',
    ]);
  });

  it('reports once that the next segment cannot be read, and continues when it can', async () => {
    write(1);
    const events = follow();
    await events.until({ records: 2 });
    const next = gzipPath(segmentPath(file, 3));
    writeFileSync(next, gzipSync('{"v":2').subarray(0, 12));
    await events.until({ notices: 1 });
    await sleep(5 * POLL_MS);
    expect(events.notices).to.deep.equal([`${next} is a truncated gzip file: its last records are missing`]);
    rmSync(next);
    beginSegment();
    write(1);
    await events.until({ records: 4 });
    expect(events.lines).to.deep.equal(chain.lines);
  });
});

function toText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function timeOf(minute: number): string {
  return new Date(Date.parse('2026-11-20T08:00:00.000Z') + minute * 60_000).toISOString();
}
