import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { AuditFollower } from '../../src/adapters/audit/follower/audit-follower.ts';
import type { FollowRequest } from '../../src/domain/model/audit-entry.ts';
import { OperatorError } from '../../src/domain/model/errors.ts';
import { AuditChain } from '../doubles/audit-chain.ts';
import { FollowedSightings } from '../doubles/followed-sightings.ts';
import { sampleAuditEntry } from '../doubles/sample-audit-entry.ts';

/** A follower of an audit file that does not exist yet. */
export interface AuditFollowerHarness {
  readonly follower: AuditFollower;
  readonly file: string;
  /** Appends text to the file, and creates it if missing. */
  append(text: string): void;
  /** Rotates the file as the service does. */
  rotate(firstSeq: number, lastSeq: number): void;
  dispose(): Promise<void>;
}

/** Contract of every AuditFollower. `makeHarness` returns a fresh one. */
export function describeAuditFollowerContract(name: string, makeHarness: () => Promise<AuditFollowerHarness>): void {
  describe(`AuditFollower contract: ${name}`, () => {
    let harness: AuditFollowerHarness;
    let running: FollowedSightings[];

    beforeEach(async () => {
      harness = await makeHarness();
      running = [];
    });
    afterEach(async () => {
      await Promise.all(running.map((sightings) => sightings.stop().catch(() => undefined)));
      await harness.dispose();
    });

    function follow(request: Partial<FollowRequest> = {}): FollowedSightings {
      const sightings = new FollowedSightings(harness.follower, { file: harness.file, ...request });
      running.push(sightings);
      return sightings;
    }

    async function read(request: Partial<FollowRequest>): Promise<FollowedSightings> {
      const sightings = follow({ follow: false, ...request });
      await sightings.ended();
      return sightings;
    }

    it('returns the last lines that are there, verbatim, with their records, and ends when it does not follow', async () => {
      const chain = chainOf(30);
      harness.append(chain.text());
      const { lines, notices, sightings } = await read({ from: { lines: 4 } });
      expect(lines).to.deep.equal(chain.lines.slice(-4));
      expect(notices).to.deep.equal([]);
      expect(sightings.map((sighting) => sighting.kind === 'record' && sighting.record)).to.deep.equal(
        chain.lines.slice(-4).map((line) => JSON.parse(line)),
      );
    });

    it('returns all lines when there are fewer than requested, and none when none was requested', async () => {
      const chain = chainOf(3);
      harness.append(chain.text());
      expect((await read({ from: { lines: 100 } })).lines).to.deep.equal(chain.lines);
      expect((await read({ from: { lines: 0 } })).lines).to.deep.equal([]);
    });

    it('takes the last lines from rotated files, too', async () => {
      const chain = chainOf(5);
      appendAndRotate(chain);
      chain.append();
      harness.append(chain.text());
      expect((await read({ from: { lines: 4 } })).lines).to.deep.equal(chain.lines.slice(-4));
      expect((await read({ from: { lines: 100 } })).lines).to.deep.equal(chain.lines);
    });

    it('begins with the first record of a time or later, also in a rotated file', async () => {
      const chain = new AuditChain({ time: timeOf(0) });
      for (let minute = 0; minute < 30; minute += 1) {
        chain.append(sampleAuditEntry({ time: timeOf(minute) }));
        if (minute % 10 === 9) appendAndRotate(chain, timeOf(minute));
      }
      harness.append(chain.text());
      for (const minute of [0, 5, 9, 15, 29]) {
        const { lines } = await read({ from: { since: timeOf(minute) } });
        const expected = chain.lines.filter((line) => JSON.parse(line).time >= timeOf(minute));
        expect(lines, `since minute ${minute}`).to.deep.equal(expected);
      }
      expect((await read({ from: { since: timeOf(30) } })).lines).to.deep.equal([]);
    });

    it('returns everything after the first record of a time, also when the clock was set back', async () => {
      const chain = new AuditChain({ time: timeOf(0) });
      for (const minute of [1, 20, 10, 21]) chain.append(sampleAuditEntry({ time: timeOf(minute) }));
      harness.append(chain.text());
      expect((await read({ from: { since: timeOf(15) } })).lines).to.deep.equal(chain.lines.slice(2));
    });

    it('returns what is appended later, once each, in order', async () => {
      const chain = chainOf(2);
      harness.append(chain.text());
      const sightings = follow({ from: { lines: 1 } });
      await sightings.until({ records: 1 });
      for (let count = 0; count < 20; count += 1) {
        harness.append(`${appended(chain)}\n`);
        await sleep(3);
      }
      await sightings.until({ records: 21 });
      await sleep(100);
      expect(sightings.lines).to.deep.equal(chain.lines.slice(2));
    });

    it('returns a line that is written in two halves once, whole', async () => {
      const chain = chainOf(1);
      harness.append(chain.text());
      const sightings = follow();
      await sightings.until({ records: 2 });
      const line = appended(chain);
      harness.append(line.slice(0, 100));
      await sleep(100);
      expect(sightings.sightings).to.have.length(2);
      harness.append(`${line.slice(100)}\n`);
      await sightings.until({ records: 3 });
      await sleep(100);
      expect(sightings.lines).to.deep.equal(chain.lines);
      expect(sightings.notices).to.deep.equal([]);
    });

    it('continues in the next file when the file was rotated, once or often between two polls', async () => {
      const chain = chainOf(3);
      harness.append(chain.text());
      const sightings = follow();
      await sightings.until({ records: 4 });
      harness.append(`${appended(chain)}\n`);
      harness.rotate(1, 5);
      chain.beginSegment('size');
      for (let file = 0; file < 4; file += 1) {
        appended(chain);
        appendAndRotate(chain);
      }
      harness.append(chain.text());
      await sightings.until({ records: chain.lines.length });
      await sleep(100);
      expect(sightings.lines).to.deep.equal(chain.lines);
      expect(sightings.notices).to.deep.equal([]);
    });

    it('returns the records that are wanted alone, the last of them to begin with', async () => {
      const chain = new AuditChain();
      for (let count = 0; count < 200; count += 1) {
        chain.append(sampleAuditEntry({ accountId: count % 50 === 0 ? 'rare' : 'main' }));
      }
      harness.append(chain.text());
      const wanted = chain.lines.filter((line) => JSON.parse(line).accountId === 'rare');
      const sightings = follow({ from: { lines: 3 }, isWanted: ({ accountId }) => accountId === 'rare' });
      await sightings.until({ records: 3 });
      harness.append(`${appended(chain, 'main')}\n${appended(chain, 'rare')}\n`);
      await sightings.until({ records: 4 });
      expect(sightings.lines).to.deep.equal([...wanted.slice(-3), chain.lines.at(-1)]);
    });

    it('reports a line that is no record in its place, and an altered one by the record behind it', async () => {
      const chain = chainOf(3);
      const [first = '', second = '', third = '', fourth = ''] = chain.lines;
      const altered = third.replace('"accountId":"main"', '"accountId":"mine"');
      harness.append(`${first}\nno record\n${second}\n${altered}\n${fourth}\n`);
      const { sightings, notices } = await read({});
      expect(sightings.map(({ kind }) => kind)).to.deep.equal([
        'record',
        'notice',
        'record',
        'record',
        'notice',
        'record',
      ]);
      expect(notices[0]).to.match(/is not an audit record$/);
      expect(notices[1]).to.match(/^record 4 stands behind record 3 and does not follow from it/);
    });

    it('reports which records are missing, where they are missing', async () => {
      const chain = chainOf(6);
      const lines = chain.lines.toSpliced(2, 3);
      harness.append(lines.map((line) => `${line}\n`).join(''));
      const { sightings } = await read({});
      expect(sightings.map(({ kind }) => kind)).to.deep.equal(['record', 'record', 'notice', 'record', 'record']);
      expect(sightings[2]).to.have.property('text').that.contains('records 3 to 5 ');
    });

    it('waits for a file that is not there yet, reports it, and returns all of it', async () => {
      const sightings = follow({ from: { lines: 1 } });
      await sightings.until({ notices: 1 });
      const chain = chainOf(4);
      harness.append(chain.text());
      await sightings.until({ records: 5 });
      expect(sightings.lines).to.deep.equal(chain.lines);
    });

    it('rejects when there is no file and it does not follow', async () => {
      const error = await read({}).then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error).to.be.instanceOf(OperatorError).with.property('message').that.includes('name the audit file');
    });

    it('ends when it is stopped, while it waits for a file and while it waits for a line', async () => {
      const waiting = follow();
      await waiting.until({ notices: 1 });
      await waiting.stop();
      harness.append(chainOf(1).text());
      const following = follow();
      await following.until({ records: 2 });
      await following.stop();
      expect(following.lines).to.have.length(2);
    });

    function appendAndRotate(chain: AuditChain, time?: string): void {
      harness.append(chain.text());
      const seqs = (chain.files.at(-1) ?? []).map((line) => JSON.parse(line).seq);
      harness.rotate(seqs[0], seqs.at(-1));
      chain.beginSegment('size', undefined, time);
    }
  });
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
