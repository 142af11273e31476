import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type ServiceProcess, Workplace } from '../e2e/service-process.ts';
import { Callers } from './callers.ts';
import { PathFollower } from './path-follower.ts';
import { expectOnRecord } from './recorded-chain.ts';
import { expectCountersOf } from './recount.ts';
import { rounds } from './rounds.ts';
import { configure, verifyOnce, verifyTwice, WISHES } from './signing-place.ts';

const ROTATIONS = rounds(100);
const SOON_MS = 15_000;
/** After so long without its first line, callers wait for the follower: it must not be a whole file behind. */
const PATIENCE_MS = 30;
/** The least that the service rotates at. */
const ROTATE_BYTES = '65536';

/**
 * By default GNU tail learns of a renaming from inotify and closes the file at once, so that it misses what is written to it until its writer has learned of it, too. Where the service itself
 * rotates, nothing is: the file is complete before it is renamed. Where another program does, tail has to read on until the file was quiet for so many looks.
 */
const PATIENT = ['---disable-inotify', '--sleep-interval=0.01', '--max-unchanged-stats=10'];

describe('An audit file that is rotated while 64 callers sign', () => {
  const place = new Workplace();
  const file = place.path('audit.jsonl');
  let signatures: readonly string[] = [];

  before(async function () {
    this.timeout(60_000);
    await configure(place);
  });
  after(() => place.remove());

  /** First line of the file that is at the path now, once it is there. */
  async function firstLine(): Promise<string> {
    for (;;) {
      const text = readIfThere(file);
      const end = text.indexOf('\n');
      if (end > 0) return text.slice(0, end);
      await sleep(1);
    }
  }

  function rotatedFiles(): number {
    return readdirSync(place.folder).filter((name) => /^audit\.\d+-\d+\.jsonl$/.test(name)).length;
  }

  /** Rotates under load, and checks what the follower printed, what the callers got, and the whole chain. */
  async function followWhile(
    options: readonly string[],
    rotate: (service: ServiceProcess, callers: Callers, tail: PathFollower) => Promise<void>,
  ): Promise<number> {
    const service = await place.start();
    // It has to find a file: else it looks for one every second, and not at once.
    const tail = new PathFollower(file, options);
    const callers = new Callers(WISHES);
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

  it(`${ROTATIONS} times by itself loses and repeats nothing, for the callers, in the chain, or for tail -F`, async () => {
    place.environment['SIGNING_AUDIT_ROTATE_BYTES'] = ROTATE_BYTES;
    const files = await followWhile([], async ({ url }, callers, tail) => {
      while (rotatedFiles() < ROTATIONS) {
        await sleep(1);
        const line = await firstLine();
        if (await tail.prints(line, PATIENCE_MS)) continue;
        callers.hold();
        expect(await tail.prints(line, SOON_MS), 'what tail printed').to.equal(true);
        callers.call(url);
      }
    });
    expect(files).to.be.above(ROTATIONS);
  }).timeout(60_000);

  it(`${ROTATIONS} times by another program, as logrotate does it, neither`, async () => {
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
    await expectCountersOf(verifyOnce(place).records, restarted.url);
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

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Between two files there is none.
    return '';
  }
}
