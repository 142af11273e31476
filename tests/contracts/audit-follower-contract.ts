import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { AuditFollower } from '../../src/adapters/audit/follower/audit-follower.ts';
import type { FollowRequest } from '../../src/domain/model/audit-entry.ts';
import { OperatorError } from '../../src/domain/model/errors.ts';
import { AuditChain } from '../doubles/audit-chain.ts';
import { FollowedEvents } from '../doubles/followed-events.ts';
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
    let running: FollowedEvents[];

    beforeEach(async () => {
      harness = await makeHarness();
      running = [];
    });
    afterEach(async () => {
      await Promise.all(running.map((events) => events.stop().catch(() => undefined)));
      await harness.dispose();
    });

    function follow(request: Partial<FollowRequest> = {}): FollowedEvents {
      const events = new FollowedEvents(harness.follower, { file: harness.file, ...request });
      running.push(events);
      return events;
    }

    async function read(request: Partial<FollowRequest>): Promise<FollowedEvents> {
      const events = follow({ follow: false, ...request });
      await events.ended();
      return events;
    }

    it('returns the last existing lines verbatim, with their records, and ends if not following', async () => {
      const chain = chainOf(30);
      harness.append(chain.text());
      const { lines, notices, events } = await read({ from: { lines: 4 } });
      expect(lines).to.deep.equal(chain.lines.slice(-4));
      expect(notices).to.deep.equal([]);
      expect(events.map((event) => event.kind === 'record' && event.record)).to.deep.equal(
        chain.lines.slice(-4).map((line) => JSON.parse(line)),
      );
    });

    it('returns all lines if fewer exist than requested, and none if none are requested', async () => {
      const chain = chainOf(3);
      harness.append(chain.text());
      expect((await read({ from: { lines: 100 } })).lines).to.deep.equal(chain.lines);
      expect((await read({ from: { lines: 0 } })).lines).to.deep.equal([]);
    });

    it('returns the last lines from rotated files, too', async () => {
      const chain = chainOf(5);
      appendAndRotate(chain);
      chain.append();
      harness.append(chain.text());
      expect((await read({ from: { lines: 4 } })).lines).to.deep.equal(chain.lines.slice(-4));
      expect((await read({ from: { lines: 100 } })).lines).to.deep.equal(chain.lines);
    });

    it('starts at the first record at or after a time, also in a rotated file', async () => {
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

    it('returns everything from the first record at or after a time, even if the clock was set back', async () => {
      const chain = new AuditChain({ time: timeOf(0) });
      for (const minute of [1, 20, 10, 21]) chain.append(sampleAuditEntry({ time: timeOf(minute) }));
      harness.append(chain.text());
      expect((await read({ from: { since: timeOf(15) } })).lines).to.deep.equal(chain.lines.slice(2));
    });

    it('returns a line written in two halves once, in full', async () => {
      const chain = chainOf(1);
      harness.append(chain.text());
      const events = follow();
      await events.until({ records: 2 });
      const line = appended(chain);
      harness.append(line.slice(0, 100));
      await sleep(100);
      expect(events.events).to.have.length(2);
      harness.append(`${line.slice(100)}\n`);
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
      harness.append(chain.text());
      const wanted = chain.lines.filter((line) => JSON.parse(line).accountId === 'rare');
      const events = follow({ from: { lines: 3 }, isWanted: ({ accountId }) => accountId === 'rare' });
      await events.until({ records: 3 });
      harness.append(`${appended(chain, 'main')}\n${appended(chain, 'rare')}\n`);
      await events.until({ records: 4 });
      expect(events.lines).to.deep.equal([...wanted.slice(-3), chain.lines.at(-1)]);
    });

    it('reports an invalid line in place, and an altered record at the record after it', async () => {
      const chain = chainOf(3);
      const [first = '', second = '', third = '', fourth = ''] = chain.lines;
      const altered = third.replace('"accountId":"main"', '"accountId":"mine"');
      harness.append(`${first}\nno record\n${second}\n${altered}\n${fourth}\n`);
      const { events, notices } = await read({});
      expect(events.map(({ kind }) => kind)).to.deep.equal([
        'record',
        'notice',
        'record',
        'record',
        'notice',
        'record',
      ]);
      expect(notices[0]).to.match(/is not an audit record$/);
      expect(notices[1]).to.match(/^record 4 follows record 3 but does not continue its chain/);
    });

    it('reports missing records where they are missing', async () => {
      const chain = chainOf(6);
      const lines = chain.lines.toSpliced(2, 3);
      harness.append(lines.map((line) => `${line}\n`).join(''));
      const { events } = await read({});
      expect(events.map(({ kind }) => kind)).to.deep.equal(['record', 'record', 'notice', 'record', 'record']);
      expect(events[2]).to.have.property('text').that.contains('records 3 to 5 ');
    });

    it('waits for a missing file, reports it, and returns all of it once it exists', async () => {
      const events = follow({ from: { lines: 1 } });
      await events.until({ notices: 1 });
      const chain = chainOf(4);
      harness.append(chain.text());
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
