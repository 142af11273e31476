import { existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { parseSegmentName, type Segment } from '../../../../../src/adapters/audit/segments/segment-names.ts';
import type { ReachedRecord } from '../../../../../src/adapters/audit/writer/open-chain.ts';
import { AuditUnavailableError } from '../../../../../src/domain/model/errors.ts';
import { useTemporaryFolder } from '../../secret-files/temporary-folder.ts';
import { DISK_BROKEN, DISK_FULL, SinkBench } from '../sink-bench.ts';

const RUNS = 20;
const MINUTE_MS = 60_000;
const BREAKABLE = [
  ...(['write', 'datasync', 'sync', 'truncate', 'rename', 'link', 'unlink'] as const),
  ...(['open', 'lstat', 'stat', 'statfs', 'chmod'] as const),
];

/** Events in any order, whether or not the sink is writing. */
class Scene {
  readonly bench: SinkBench;
  #reached: ReachedRecord | null = null;
  #pending: Promise<unknown>[] = [];
  /** Where the segments are that were moved away. */
  readonly #moved = new Map<string, string>();

  constructor(folder: string) {
    this.bench = new SinkBench(folder);
  }

  async open(): Promise<void> {
    const { bench } = this;
    await bench.open({
      rotation: { bytes: 6000, hours: 0, files: 0 },
      timeoutMs: 5000,
      reached: this.#reached,
      // As the service notes it.
      onClosed: async (isComplete) => {
        this.#reached = { ...bench.sink.head, closed: isComplete };
      },
    });
  }

  /** Does not wait for its end. */
  begin(work: Promise<unknown>): void {
    this.#pending.push(work);
  }

  async settle(): Promise<void> {
    await Promise.all(this.#pending.splice(0));
  }

  /** The newest segment, which the sink may be beginning or leaving. */
  move(): void {
    const path = this.#segments('plain').at(-1);
    if (path === undefined) return;
    const target = `${path}.moved-${this.#moved.size}`;
    renameSync(path, target);
    this.#moved.set(target, path);
  }

  /**
   * The open segment, between writes: what another program removes during a write, or of a closed
   * one, is lost with any sink.
   */
  async remove(): Promise<void> {
    await this.settle();
    const path = this.#segments('plain').at(-1);
    const { sink } = this.bench;
    const last = path === undefined ? '' : linesOf(path).at(-1);
    if (path !== undefined && sink.available && last?.startsWith(`{"v":2,"seq":${sink.head.seq},`)) rmSync(path);
  }

  break(calls: readonly (typeof BREAKABLE)[number][]): void {
    this.bench.mend();
    this.bench.fail(calls.includes('write') ? DISK_FULL : DISK_BROKEN, ...calls);
  }

  /**
   * Also after failures. A start is refused only while the last acknowledged record is moved away,
   * or the audit file's name, which could not be made again, leads to a segment that is.
   */
  async restart(): Promise<void> {
    await this.settle();
    this.bench.mend();
    await this.bench.close();
    try {
      await this.open();
    } catch (error) {
      expect(error).to.be.instanceOf(AuditUnavailableError);
      expect(this.#hasRecord(this.bench.sink.head.seq) && this.#isNameOwn(), String(error)).to.equal(false);
      this.restore();
      if (!this.#isNameOwn()) rmSync(this.bench.file);
      await this.open();
    }
  }

  async recover(): Promise<void> {
    await this.settle();
    this.bench.mend();
    for (let attempt = 0; attempt < 5; attempt += 1) await this.bench.sink.reopen();
    expect(this.bench.sink.available).to.equal(true);
  }

  /** Every segment as an auditor would collect them. The last one of a name counts. */
  restore(): void {
    for (const [target, path] of [...this.#moved].toReversed()) this.#putBack(target, path);
    this.#moved.clear();
  }

  /** Unless the sink began the segment again, because its first record had not counted. */
  #putBack(target: string, path: string): void {
    const isWritten = this.#hasRecord(parseSegmentName(basename(path))?.firstSeq);
    if (isWritten) expect(linesOf(target), `records only in ${target}`).to.have.length(1);
    else renameSync(target, path);
  }

  /** Whether a segment that is in place has the record. */
  #hasRecord(seq: number | undefined): boolean {
    const start = `{"v":2,"seq":${seq},`;
    return this.#segments('plain', 'recovered').some((path) => linesOf(path).some((line) => line.startsWith(start)));
  }

  #isNameOwn(): boolean {
    const { file } = this.bench;
    const segments = this.#segments('plain', 'recovered').map((path) => statSync(path).ino);
    return !existsSync(file) || segments.includes(statSync(file).ino);
  }

  #segments(...forms: readonly Segment['form'][]): readonly string[] {
    return this.bench
      .names()
      .filter((name) => forms.some((form) => form === parseSegmentName(name)?.form))
      .map((name) => join(this.bench.folder, name));
  }
}

function linesOf(path: string): readonly string[] {
  return readFileSync(path, 'utf8').trimEnd().split('\n');
}

type Step = (scene: Scene) => unknown;

const step = (name: string, run: Step) => ({ run, toString: () => name });

const fixedSteps: readonly (readonly [weight: number, name: string, run: Step])[] = [
  [2, 'move', (scene) => scene.move()],
  [1, 'remove', (scene) => scene.remove()],
  [1, 'remove name', ({ bench }) => rmSync(bench.file, { force: true })],
  [3, 'mend', ({ bench }) => bench.mend()],
  [3, 'reopen', (scene) => scene.begin(scene.bench.sink.reopen())],
  [1, 'probe', (scene) => scene.begin(scene.bench.sink.probe())],
  [2, 'settle', (scene) => scene.settle()],
  [2, 'turn', () => nextTurn()],
  [1, 'minute', ({ bench }) => bench.clock.advance(MINUTE_MS)],
  [2, 'restart', (scene) => scene.restart()],
];
const bursts = fc
  .integer({ min: 1, max: 20 })
  .map((count) => step(`burst ${count}`, (scene) => scene.begin(scene.bench.append(count))));
const breaks = fc
  .subarray(BREAKABLE, { minLength: 1, maxLength: 3 })
  .map((calls) => step(`break ${calls}`, (scene) => scene.break(calls)));
const sleeps = fc.integer({ min: 1, max: 25 }).map((ms) => step(`sleep ${ms}`, () => sleep(ms)));

const steps = fc.oneof(
  { weight: 6, arbitrary: bursts },
  { weight: 2, arbitrary: breaks },
  { weight: 2, arbitrary: sleeps },
  ...fixedSteps.map(([weight, name, run]) => ({ weight, arbitrary: fc.constant(step(name, run)) })),
);

describe('The audit sink under random events', () => {
  const folder = useTemporaryFolder();

  it('has every acknowledged record once, in one unbroken chain, counted once, and recovers', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 30 }), async (story) => {
        const scene = new Scene(folder.path(`run-${run++}`));
        const { bench } = scene;
        await scene.open();
        try {
          for (const { run: happen } of story) {
            bench.clock.advance(1);
            await happen(scene);
          }
          await scene.recover();
          expect(await bench.append(3)).to.deep.equal([]);
        } finally {
          bench.mend();
          await bench.close();
        }
        scene.restore();
        const { ids } = bench.verify();
        expect(bench.refused.filter((id) => bench.acknowledged.includes(id))).to.deep.equal([]);
        expect(bench.counted).to.equal(bench.acknowledged.length);
        expect(ids.length).to.be.at.least(bench.counted);
      }),
      { numRuns: RUNS },
    );
  }).timeout(120_000);
});
