import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Workplace } from '../harness/service-process.ts';
import { installedProgram } from '../programs/installed-program.ts';
import { projectUrl } from '../project-root.ts';
import { Callers } from './callers.ts';
import { expectCounters } from './recount.ts';
import { rounds } from './rounds.ts';
import { configure, expectOnRecord, REQUEST_TYPES, verifyOnce, verifyTwice } from './signing-place.ts';

const KILLS = rounds(50);
/** One in this many kills comes during startup, while it repairs the file. */
const START_KILL_EVERY = 5;
const LONGEST_WORK_MS = 250;
/** Some rotations happen between two kills. */
const ROTATE_BYTES = 65_536;
/** The verifiers of docs/auditors/audit-format.md, by program. */
const DOCUMENTED_VERIFIERS = { python3: 'verify-audit.py', sh: 'verify-audit.sh' };

describe('A service killed while it signs', () => {
  const place = new Workplace({ SIGNING_AUDIT_ROTATE_BYTES: String(ROTATE_BYTES) });
  const callers = new Callers(REQUEST_TYPES);

  before(async function () {
    this.timeout(60_000);
    await configure(place);
  });
  after(async () => {
    await callers.stop();
    await place.remove();
  });

  it(`keeps every signature, one chain and matching counters through ${KILLS} kills under 64 callers`, async () => {
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
    // Enough for the files below on a busy machine as well.
    await callers.receive(800, 60_000);
    await callers.stop();
    const chain = await verifyTwice(place);
    expectOnRecord(callers.signatures, chain);
    expect(callers.signatures.length).to.be.above(KILLS);
    expect(chain.files.length, 'files').to.be.above(5);
    await expectCounters(chain.records, service.url);
    const { exitCode } = await service.stop();
    expect(exitCode).to.equal(0);

    const restarted = await place.start();
    await expectCounters(verifyOnce(place).records, restarted.url);
    expect((await restarted.stop()).exitCode).to.equal(0);

    // Each starts OpenSSL per signature: two files are enough.
    const newest = verifyOnce(place).files.slice(-2);
    const files = newest.map(({ name }) => place.path(name));
    for (const [program, name] of Object.entries(DOCUMENTED_VERIFIERS)) {
      if (installedProgram(program) === undefined) continue;
      const verifier = fileURLToPath(projectUrl(`docs/examples/${name}`));
      execFileSync(program, [verifier, place.path('audit.key.pub'), ...files]);
    }
    process.stdout.write(
      `      ${callers.signatures.length} signatures received, ${chain.records.length} records in ${chain.files.length} files\n`,
    );
  }).timeout(300_000);
});
