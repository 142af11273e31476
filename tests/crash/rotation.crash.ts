import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type ServiceProcess, Workplace } from '../harness/service-process.ts';
import { Callers } from './callers.ts';
import { PathFollower } from './path-follower.ts';
import { expectCounters } from './recount.ts';
import { rounds } from './rounds.ts';
import { configure, expectOnRecord, REQUEST_TYPES, verifyOnce, verifyTwice } from './signing-place.ts';

const ROTATIONS = rounds(100);
const SOON_MS = 15_000;
/** Callers wait for a follower that is behind by this time, so that it never lags a whole file. */
const TIMEOUT_MS = 30;
/** The minimum size for rotation. */
const ROTATE_BYTES = '65536';

/**
 * GNU tail closes a renamed file at once by default (inotify) and misses later writes. That is
 * right for the service's own rotation, which renames complete files; for another program's, tail
 * must read on until the file is quiet.
 */
const PATIENT = ['---disable-inotify', '--sleep-interval=0.01', '--max-unchanged-stats=10'];

describe('An audit file rotated while 64 callers sign', () => {
  const place = new Workplace();
  const file = place.path('audit.jsonl');
  let signatures: readonly string[] = [];

  before(async function () {
    this.timeout(60_000);
    await configure(place);
  });
  after(() => place.remove());

  /** First line of the new file at the path. */
  async function firstLine(): Promise<string> {
    for (;;) {
      const text = readSystemFile(file);
      const end = text.indexOf('\n');
      if (end > 0) return text.slice(0, end);
      await sleep(1);
    }
  }

  function rotatedFiles(): number {
    return readdirSync(place.folder).filter((name) => /^audit\.\d+-\d+\.jsonl$/.test(name)).length;
  }

  /**
   * Rotates under load, and checks the follower's output, the callers' signatures and the chain.
   */
  async function followWhile(
    options: readonly string[],
    rotate: (service: ServiceProcess, callers: Callers, tail: PathFollower) => Promise<void>,
  ): Promise<number> {
    const service = await place.start();
    // Without a file tail polls only every second.
    const tail = new PathFollower(file, options);
    const callers = new Callers(REQUEST_TYPES);
    try {
      const begin = await firstLine();
      expect(await tail.prints(begin, SOON_MS)).to.equal(true);
      callers.call(service.url);
      await rotate(service, callers, tail);
      await callers.stop();
      expect(callers.failures).to.deep.equal([]);
      signatures = [...signatures, ...callers.signatures];
      expect((await service.stop()).exitCode).to.equal(0);

      const chain = await verifyTwice(place);
      expectOnRecord(signatures, chain);
      expect(await tail.prints(chain.lines.at(-1) ?? '', SOON_MS)).to.equal(true);
      expectSameLines(tail.lines, chain.lines.slice(chain.lines.indexOf(begin)));
      return chain.files.length;
    } finally {
      await callers.stop();
      await tail.end();
    }
  }

  it(`loses and repeats no record over ${ROTATIONS} own rotations, for callers, chain and tail -F`, async () => {
    place.environment['SIGNING_AUDIT_ROTATE_BYTES'] = ROTATE_BYTES;
    const files = await followWhile([], async ({ url }, callers, tail) => {
      while (rotatedFiles() < ROTATIONS) {
        await sleep(1);
        const line = await firstLine();
        if (await tail.prints(line, TIMEOUT_MS)) continue;
        await callers.hold();
        expect(await tail.prints(line, SOON_MS), 'what tail printed').to.equal(true);
        callers.call(url);
      }
    });
    expect(files).to.be.above(ROTATIONS);
  }).timeout(60_000);

  it(`loses and repeats no record over ${ROTATIONS} rotations by another program, like logrotate`, async () => {
    place.environment['SIGNING_AUDIT_ROTATE_BYTES'] = '0';
    const files = await followWhile(PATIENT, async (service, callers, tail) => {
      for (let rotation = 1; rotation <= ROTATIONS; rotation += 1) {
        renameSync(file, `${file}.${rotation}`);
        writeFileSync(file, '', { mode: 0o600 });
        service.process.signal('SIGHUP');
        expect(await tail.prints(await firstLine(), SOON_MS), 'what tail printed').to.equal(true);
        await callers.receive(1, SOON_MS);
      }
    });
    expect(files).to.be.above(2 * ROTATIONS);
    const restarted = await place.start();
    await expectCounters(verifyOnce(place).records, restarted.url);
    expect((await restarted.stop()).exitCode).to.equal(0);
  }).timeout(90_000);
});

function expectSameLines(printed: readonly string[], written: readonly string[]): void {
  const [once, there] = [new Set(printed), new Set(written)];
  expect(
    written.filter((line) => !once.has(line)),
    'lines that tail did not print',
  ).to.deep.equal([]);
  expect(
    printed.filter((line) => !there.has(line)),
    'lines that only tail printed',
  ).to.deep.equal([]);
  expect(printed.length, 'lines that tail printed').to.equal(written.length);
  expect(printed.join('\n') === written.join('\n'), 'tail printed them in their order').to.equal(true);
}

function readSystemFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Between two files there is none.
    return '';
  }
}
