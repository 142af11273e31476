import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { installedProgram } from '../../scripts/stage/installed-program.ts';
import { Workplace } from '../e2e/service-process.ts';
import { Callers } from './callers.ts';
import { expectOnRecord } from './recorded-chain.ts';
import { expectCountersOf } from './recount.ts';
import { rounds } from './rounds.ts';
import { configure, verifyOnce, verifyTwice, WISHES } from './signing-place.ts';

const KILLS = rounds(50);
/** One in so many comes while the service starts: while it repairs what the last one left. */
const START_KILL_EVERY = 5;
const LONGEST_WORK_MS = 250;
/** Some rotations happen between two kills. */
const ROTATE_BYTES = 65_536;
/** Those that an auditor can read in docs/AUDIT_FORMAT.md, by the program that runs them. */
const DOCUMENTED_VERIFIERS = { python3: 'verify-audit.py', sh: 'verify-audit.sh' };

describe('A service that is killed while it signs', () => {
  const place = new Workplace({ SIGNING_AUDIT_ROTATE_BYTES: String(ROTATE_BYTES) });
  const callers = new Callers(WISHES);

  before(async function () {
    this.timeout(60_000);
    await configure(place);
  });
  after(async () => {
    await callers.stop();
    await place.remove();
  });

  it(`${KILLS} times under 64 callers has every signature on record, one chain, and the counters of its records`, async () => {
    let startMs = 0;
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const from = performance.now();
      if (kill % START_KILL_EVERY === 0) {
        const child = place.spawn('main.js', []);
        await sleep(Math.random() * startMs);
        await child.kill();
        continue;
      }
      const service = await place.start();
      startMs = performance.now() - from;
      callers.call(service.url);
      await sleep(randomInt(LONGEST_WORK_MS));
      await service.process.kill();
    }

    const service = await place.start();
    callers.call(service.url);
    // Enough for the files below also where a busy machine signed little between the kills.
    await callers.receive(800, 60_000);
    await callers.stop();
    const chain = await verifyTwice(place);
    expectOnRecord(callers.signatures, chain);
    expect(callers.signatures.length).to.be.above(KILLS);
    expect(chain.files.length, 'files').to.be.above(5);
    await expectCountersOf(chain.records, service.url);
    const { exitCode } = await service.stop();
    expect(exitCode).to.equal(0);

    const restarted = await place.start();
    await expectCountersOf(verifyOnce(place).records, restarted.url);
    expect((await restarted.stop()).exitCode).to.equal(0);

    // Each starts OpenSSL for every signature: two files are enough for it.
    const newest = verifyOnce(place).files.slice(-2);
    const files = newest.map(({ name }) => place.path(name));
    for (const [program, name] of Object.entries(DOCUMENTED_VERIFIERS)) {
      if (installedProgram(program) === undefined) continue;
      const verifier = fileURLToPath(new URL(`../../docs/examples/${name}`, import.meta.url));
      execFileSync(program, [verifier, place.path('audit.key.pub'), ...files]);
    }
    process.stdout.write(
      `      ${callers.signatures.length} signatures received, ${chain.records.length} records in ${chain.files.length} files\n`,
    );
  }).timeout(300_000);
});
