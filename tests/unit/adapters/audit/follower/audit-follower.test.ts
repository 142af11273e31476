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
import { AuditFollower } from '../../../../../src/adapters/audit/follower/audit-follower.ts';
import { rotatedPath } from '../../../../../src/adapters/audit/record/segment-files.ts';
import { sha256Of } from '../../../../../src/adapters/node/sha256.ts';
import type { FollowRequest } from '../../../../../src/domain/model/audit-entry.ts';
import { OperatorError } from '../../../../../src/domain/model/errors.ts';
import { AuditChain } from '../../../../doubles/audit-chain.ts';
import { FollowedEvents } from '../../../../doubles/followed-events.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';

const POLL_MS = 15;

describe('AuditFollower', () => {
  let folder: string;
  let file: string;
  let running: FollowedEvents[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'audit-follower-'));
    file = join(folder, 'audit.jsonl');
    running = [];
  });
  afterEach(async () => {
    await Promise.all(running.map((events) => events.stop().catch(() => undefined)));
    rmSync(folder, { recursive: true });
  });

  function follow(request: Partial<FollowRequest> = {}): FollowedEvents {
    const events = new FollowedEvents(new AuditFollower(POLL_MS), { file, from: { lines: 1_000_000 }, ...request });
    running.push(events);
    return events;
  }

  async function read(request: Partial<FollowRequest>): Promise<FollowedEvents> {
    const events = follow({ follow: false, ...request });
    await events.ended();
    return events;
  }

  const append = (text: string) => appendFileSync(file, text);
  const rotate = (firstSeq: number, lastSeq: number) => renameSync(file, rotatedPath(file, firstSeq, lastSeq));

  function appendAndRotate(chain: AuditChain, time?: string): void {
    append(chain.text());
    const seqs = (chain.files.at(-1) ?? []).map((line) => JSON.parse(line).seq);
    rotate(seqs[0], seqs.at(-1));
    chain.beginSegment('size', undefined, time);
  }

  /** Adds records and writes them to the file. */
  function write(chain: AuditChain, records: number): void {
    const before = chain.lines.length;
    for (let count = 0; count < records; count += 1) chain.append(sampleAuditEntry({ correlationId: `c-${count}` }));
    append(toText(chain.lines.slice(before)));
  }

  /** A chain whose first records were followed. */
  async function followed(records: number): Promise<{ chain: AuditChain; events: FollowedEvents }> {
    const chain = new AuditChain();
    append(chain.text());
    write(chain, records);
    const events = follow();
    await events.until({ records: records + 1 });
    return { chain, events };
  }

  async function expectWholeChain(chain: AuditChain, events: FollowedEvents): Promise<void> {
    await events.until({ records: chain.lines.length });
    await sleep(5 * POLL_MS);
    expect(events.lines).to.deep.equal(chain.lines);
  }

  it('returns the last existing lines verbatim, with their records, and ends if not following', async () => {
    const chain = chainOf(30);
    append(chain.text());
    const { lines, notices, events } = await read({ from: { lines: 4 } });
    expect(lines).to.deep.equal(chain.lines.slice(-4));
    expect(notices).to.deep.equal([]);
    expect(events.map((event) => event.kind === 'record' && event.record)).to.deep.equal(
      chain.lines.slice(-4).map((line) => JSON.parse(line)),
    );
  });

  it('returns all lines if fewer exist than requested, and none if none are requested', async () => {
    const chain = chainOf(3);
    append(chain.text());
    expect((await read({ from: { lines: 100 } })).lines).to.deep.equal(chain.lines);
    expect((await read({ from: { lines: 0 } })).lines).to.deep.equal([]);
  });

  it('returns the last lines from rotated files, too', async () => {
    const chain = chainOf(5);
    appendAndRotate(chain);
    chain.append();
    append(chain.text());
    expect((await read({ from: { lines: 4 } })).lines).to.deep.equal(chain.lines.slice(-4));
    expect((await read({ from: { lines: 100 } })).lines).to.deep.equal(chain.lines);
  });

  it('starts at the first record at or after a time, also in a rotated file', async () => {
    const chain = new AuditChain({ time: timeOf(0) });
    for (let minute = 0; minute < 30; minute += 1) {
      chain.append(sampleAuditEntry({ time: timeOf(minute) }));
      if (minute % 10 === 9) appendAndRotate(chain, timeOf(minute));
    }
    append(chain.text());
    for (const minute of [0, 5, 9, 15, 29]) {
      const { lines } = await read({ from: { since: timeOf(minute) } });
      const expected = chain.lines.filter((line) => JSON.parse(line).time >= timeOf(minute));
      expect(lines, `since minute ${minute}`).to.deep.equal(expected);
    }
    expect((await read({ from: { since: timeOf(30) } })).lines).to.deep.equal([]);
  });

  it('returns everything from the first record at or after a time, even if the clock was set back', async () => {
    const chain = new AuditChain({ time: timeOf(0) });
    for (const minute of [1, 20, 10, 21]) chain.append(sampleAuditEntry({ time: timeOf(minute) }));
    append(chain.text());
    expect((await read({ from: { since: timeOf(15) } })).lines).to.deep.equal(chain.lines.slice(2));
  });

  it('returns a line written in two halves once, in full', async () => {
    const chain = chainOf(1);
    append(chain.text());
    const events = follow();
    await events.until({ records: 2 });
    const line = appended(chain);
    append(line.slice(0, 100));
    await sleep(100);
    expect(events.events).to.have.length(2);
    append(`${line.slice(100)}\n`);
    await events.until({ records: 3 });
    await sleep(100);
    expect(events.lines).to.deep.equal(chain.lines);
    expect(events.notices).to.deep.equal([]);
  });

  it('returns only the wanted records, starting with the last of the existing ones', async () => {
    const chain = new AuditChain();
    for (let count = 0; count < 200; count += 1) {
      chain.append(sampleAuditEntry({ accountId: count % 50 === 0 ? 'rare' : 'main' }));
    }
    append(chain.text());
    const wanted = chain.lines.filter((line) => JSON.parse(line).accountId === 'rare');
    const events = follow({ from: { lines: 3 }, isWanted: ({ accountId }) => accountId === 'rare' });
    await events.until({ records: 3 });
    append(`${appended(chain, 'main')}\n${appended(chain, 'rare')}\n`);
    await events.until({ records: 4 });
    expect(events.lines).to.deep.equal([...wanted.slice(-3), chain.lines.at(-1)]);
  });

  it('reports an invalid line in place, and an altered record at the record after it', async () => {
    const chain = chainOf(3);
    const [first = '', second = '', third = '', fourth = ''] = chain.lines;
    const altered = third.replace('"accountId":"main"', '"accountId":"mine"');
    append(`${first}\nno record\n${second}\n${altered}\n${fourth}\n`);
    const { events, notices } = await read({});
    expect(events.map(({ kind }) => kind)).to.deep.equal(['record', 'notice', 'record', 'record', 'notice', 'record']);
    expect(notices[0]).to.match(/is not an audit record$/);
    expect(notices[1]).to.match(/^record 4 follows record 3 but does not continue its chain/);
  });

  it('waits for a missing file, reports it, and returns all of it once it exists', async () => {
    const events = follow({ from: { lines: 1 } });
    await events.until({ notices: 1 });
    const chain = chainOf(4);
    append(chain.text());
    await events.until({ records: 5 });
    expect(events.lines).to.deep.equal(chain.lines);
  });

  it('rejects if the file is missing and it does not follow', async () => {
    const error = await read({}).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error)
      .to.be.instanceOf(OperatorError)
      .with.property('message')
      .that.includes('give the path of the audit file');
  });

  it('ends when stopped while waiting for a file or for a line', async () => {
    const waiting = follow();
    await waiting.until({ notices: 1 });
    await waiting.stop();
    append(chainOf(1).text());
    const following = follow();
    await following.until({ records: 2 });
    await following.stop();
    expect(following.lines).to.have.length(2);
  });

  it('loses and repeats nothing over many rotations during writes', async () => {
    const chain = new AuditChain();
    append(chain.text());
    const events = follow();
    for (let rotation = 0; rotation < 20; rotation += 1) {
      for (let burst = 0; burst < 3; burst += 1) {
        write(chain, 5);
        await nextTurn();
      }
      if (rotation % 7 === 0) await sleep(POLL_MS);
      const seqs = (chain.files.at(-1) ?? []).map((line) => JSON.parse(line).seq);
      rotate(seqs[0], seqs.at(-1));
      if (rotation % 5 === 0) await sleep(POLL_MS);
      chain.beginSegment('size');
      append(toText(chain.lines.slice(-1)));
    }
    await expectWholeChain(chain, events);
    expect(events.notices).to.deep.equal([]);
    expect(chain.lines.length).to.be.at.least(320);
  });

  it('reads the old file to its end when the writer continues there after logrotate', async () => {
    const { chain, events } = await followed(3);
    renameSync(file, `${file}.1`);
    writeFileSync(file, '');
    await sleep(4 * POLL_MS);
    const before = chain.lines.length;
    chain.append();
    appendFileSync(`${file}.1`, toText(chain.lines.slice(before)));
    await events.until({ records: chain.lines.length });
    chain.append();
    appendFileSync(`${file}.1`, toText(chain.lines.slice(-1)));
    chain.beginSegment('reopened');
    append(chain.text());
    await expectWholeChain(chain, events);
    expect(events.notices).to.deep.equal([]);
  });

  it('reads what was added to the old file before it was removed and recreated', async () => {
    const chain = new AuditChain();
    append(chain.text());
    const request = { file, from: { lines: 10 }, isWanted: null, follow: true, signal: { aborted: false } };
    const events = new AuditFollower(POLL_MS).follow(request);
    const given = [await events.next()];
    // The follower is behind the last line and has not checked the path again.
    write(chain, 2);
    rmSync(file);
    chain.beginSegment('removed');
    append(chain.text());
    while (given.length < 4) given.push(await events.next());
    await events.return(undefined);
    expect(given.map(({ value }) => value.kind === 'record' && value.line)).to.deep.equal(chain.lines);
  });

  it('tracks its position across rotations before yielding any record', async () => {
    const chain = new AuditChain();
    append(chain.text());
    const events = follow({ from: { lines: 0 } });
    await sleep(10 * POLL_MS);
    rotate(1, 1);
    chain.beginSegment('size');
    chain.append();
    writeFileSync(rotatedPath(file, 2, 3), chain.text());
    chain.beginSegment('size');
    append(chain.text());
    await events.until({ records: 3 });
    expect(events.lines).to.deep.equal(chain.lines.slice(1));
  });

  it('reads only the missing records from a copy', async () => {
    const chain = new AuditChain();
    for (let count = 0; count < 6; count += 1) chain.append();
    writeFileSync(join(folder, 'audit.jsonl.copy'), chain.text());
    writeFileSync(file, toText(chain.lines.toSpliced(2, 2)));
    const events = await read({});
    expect(events.lines).to.deep.equal(chain.lines);
    expect(events.notices).to.deep.equal([]);
  });

  it('finds the records of a copied and truncated file in the copy', async () => {
    const { chain, events } = await followed(5);
    write(chain, 3);
    copyFileSync(file, `${file}.1`);
    truncateSync(file);
    chain.beginSegment('truncated');
    append(toText(chain.lines.slice(-1)));
    await expectWholeChain(chain, events);
    expect(events.notices).to.have.length(1);
    expect(events.notices[0])
      .to.contain(file)
      .and.match(/truncated/);
  });

  it('detects a truncation even if the file has grown past its old size', async () => {
    const { chain, events } = await followed(2);
    truncateSync(file);
    const before = chain.lines.length;
    chain.beginSegment('truncated');
    for (let count = 0; count < 50; count += 1) chain.append();
    append(toText(chain.lines.slice(before)));
    await expectWholeChain(chain, events);
  });

  it('continues after the last lines were removed, without repeating earlier ones', async () => {
    const { chain, events } = await followed(5);
    const expectedIds = toText(chain.lines.slice(0, 4));
    truncateSync(file, Buffer.byteLength(expectedIds));
    await events.until({ notices: 1 });
    const other = new AuditChain({ head: getHead(chain.lines[3] ?? '') });
    other.append();
    append(other.text());
    await events.until({ records: 8 });
    expect(events.lines).to.deep.equal([...chain.lines, ...other.lines]);
    expect(events.notices).to.have.length(1);
    expect(events.notices[0]).to.match(/last lines were removed/);
  });

  it('reports records lost with deleted files', async () => {
    const { chain, events } = await followed(1);
    renameSync(file, `${file}.gone`);
    chain.beginSegment('size');
    chain.append();
    chain.beginSegment('size');
    append(chain.text());
    await events.until({ records: 3 });
    expect(events.notices).to.deep.equal(['records 3 to 4 were not found in any file']);
    expect(events.lines).to.deep.equal(chain.lines.toSpliced(2, 2));
  });

  it('reports the start of another chain', async () => {
    const { chain, events } = await followed(2);
    renameSync(file, join(folder, 'elsewhere'));
    const other = new AuditChain();
    append(other.text());
    await events.until({ records: 4 });
    expect(events.notices).to.deep.equal(['record 1 follows record 3: another chain begins']);
    expect(events.lines).to.deep.equal([...chain.lines, ...other.lines]);
  });

  it('starts in the newest rotated file if the current one is missing or empty', async () => {
    const chain = new AuditChain();
    for (let count = 0; count < 5; count += 1) chain.append();
    writeFileSync(rotatedPath(file, 1, 6), chain.text());
    chain.beginSegment('size', undefined, '2026-11-20T08:59:00.000Z');
    for (let count = 0; count < 5; count += 1) chain.append(sampleAuditEntry({ time: '2026-11-20T08:59:00.000Z' }));
    writeFileSync(rotatedPath(file, 7, 12), chain.text());
    const events = follow({ from: { lines: 2 } });
    await events.until({ records: 2 });
    writeFileSync(file, '');
    const again = new FollowedEvents(new AuditFollower(POLL_MS), { file, from: { lines: 2 }, follow: false });
    await again.ended();
    expect(again.lines).to.deep.equal(chain.lines.slice(-2));
    chain.beginSegment('size');
    append(chain.text());
    await events.until({ records: 3 });
    expect(events.lines).to.deep.equal(chain.lines.slice(-3));
    expect(events.notices).to.deep.equal([]);
  });

  it('reports once that the next file cannot be read, and continues when it can', async () => {
    const { chain, events } = await followed(1);
    renameSync(file, `${file}.1`);
    mkdirSync(file);
    await events.until({ notices: 1 });
    await sleep(5 * POLL_MS);
    expect(events.notices).to.deep.equal([`${file} is not a regular file: give the path of the audit file`]);
    rmdirSync(file);
    chain.beginSegment('reopened');
    writeFileSync(file, chain.text());
    await expectWholeChain(chain, events);
  });
});

function toText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function getHead(line: string) {
  return { seq: JSON.parse(line).seq, hash: sha256Of(line) };
}

/** A segment record and `records` others. */
function chainOf(records: number): AuditChain {
  const chain = new AuditChain();
  for (let count = 0; count < records; count += 1) appended(chain);
  return chain;
}

/** Appends a record and returns its line. */
function appended(chain: AuditChain, accountId = 'main'): string {
  chain.append(sampleAuditEntry({ accountId, correlationId: `c-${chain.head.seq}` }));
  return chain.lines.at(-1) ?? '';
}

function timeOf(minute: number): string {
  return new Date(Date.parse('2026-11-20T08:00:00.000Z') + minute * 60_000).toISOString();
}
