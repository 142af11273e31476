import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Workplace } from '../harness/service-process.ts';
import { Callers } from './callers.ts';
import { PathFollower } from './path-follower.ts';
import { expectCounters } from './recount.ts';
import { rounds } from './rounds.ts';
import { configure, expectOnRecord, REQUEST_TYPES, verifyOnce, verifyTwice } from './signing-place.ts';

const KILLS = rounds(500);
const SOON_MS = 15_000;
/** The minimum size for rotation. */
const ROTATE_BYTES = '65536';
const PRELOADED = new URL('../programs/kill-in-rotation.js', import.meta.url).href;

/** Steps of a rotation, and moments of each. */
const STEPS: readonly (readonly [string, string])[] = [
  ...['create', 'first record', 'link', 'rename'].flatMap((step) =>
    ['before', 'after'].map((moment) => [step, moment] as const),
  ),
  ['first record', 'during'],
];

const ROTATIONS = 4;
const BETWEEN_ROTATIONS_MS = 2000;
/** 50 lines a second. */
const BETWEEN_LINES_MS = 20;

describe('An audit file rotated while 64 callers sign', () => {
  const place = new Workplace({ SIGNING_AUDIT_ROTATE_BYTES: ROTATE_BYTES });
  const callers = new Callers(REQUEST_TYPES);

  before(async function () {
    this.timeout(60_000);
    await configure(place);
  });
  after(async () => {
    await callers.stop();
    await place.remove();
  });

  it(`loses no record, and starts every time, through ${KILLS} kills at every step of a rotation`, async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const [step = '', moment = ''] = STEPS[kill % STEPS.length] ?? [];
      Object.assign(place.environment, {
        NODE_OPTIONS: `--import=${PRELOADED}`,
        ...{ KILL_AT: step, KILL_WHEN: moment, KILL_AFTER: String(Math.floor(kill / STEPS.length) % 3) },
      });
      const service = place.spawn('main.js', []);
      // The start may be killed as well.
      const listening = await service.waitForLine(/"message":"Listening\."/).catch(() => null);
      if (listening !== null) callers.call(JSON.parse(listening).facts.url);
      const { stdout, exitCode } = await service.ended();
      expect(exitCode, `killed ${moment} ${step}, and not ended by itself: ${stdout}`).to.equal(null);
    }
    delete place.environment['NODE_OPTIONS'];
    const service = await place.start();
    callers.call(service.url);
    await callers.receive(100, SOON_MS);
    await callers.stop();
    const chain = await verifyTwice(place);
    expectOnRecord(callers.signatures, chain);
    await expectCounters(chain.records, service.url);
    expect((await service.stop()).exitCode).to.equal(0);
    expect(verifyOnce(place).files.length).to.be.above(KILLS);
    process.stdout.write(
      `      ${KILLS} kills, ${callers.signatures.length} signatures received, ${chain.records.length} records in ${chain.files.length} files\n`,
    );
  }).timeout(KILLS * 5000 + 60_000);
});

describe('The name of the audit file, followed by GNU tail -F', () => {
  const place = new Workplace();

  before(async function () {
    this.timeout(60_000);
    await configure(place);
  });
  after(() => place.remove());

  it(`gives every line of ${ROTATIONS} rotations, 2 s apart under 50 lines a second`, async () => {
    const service = await place.start();
    const tail = new PathFollower(place.path('audit.jsonl'));
    const signing = setInterval(() => void service.post('/sign', { ...REQUEST_TYPES[0], data: {} }), BETWEEN_LINES_MS);
    for (let rotation = 1; rotation <= ROTATIONS; rotation += 1) {
      await sleep(BETWEEN_ROTATIONS_MS);
      service.process.signal('SIGHUP');
    }
    await sleep(BETWEEN_ROTATIONS_MS);
    clearInterval(signing);
    expect((await service.stop()).exitCode).to.equal(0);
    const { lines, files } = verifyOnce(place);
    expect(files).to.have.length(ROTATIONS + 1);
    expect(await tail.prints(lines.at(-1) ?? '', SOON_MS)).to.equal(true);
    await tail.end();
    expect(tail.lines).to.deep.equal(lines);
    process.stdout.write(`      ${lines.length} lines in ${files.length} files\n`);
  }).timeout(60_000);
});
