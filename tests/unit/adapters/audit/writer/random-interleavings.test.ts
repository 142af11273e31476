import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { ChainVerifier } from '../../../../../src/adapters/audit/record/chain-verifier.ts';
import { readRecord } from '../../../../../src/adapters/audit/record/read-record.ts';
import { EMPTY_CHAIN } from '../../../../../src/adapters/audit/record/signed-record.ts';
import { parseSegmentName, type Segment } from '../../../../../src/adapters/audit/segments/segment-names.ts';
import type { ReachedRecord } from '../../../../../src/adapters/audit/writer/open-chain.ts';
import { AuditUnavailableError } from '../../../../../src/domain/model/errors.ts';
import { nodeCalls } from '../../../../doubles/file-calls.ts';
import type { ParsedFile } from '../../../../harness/verified-chain.ts';
import { SinkBench, systemError, useTemporaryFolder } from '../sink-bench.ts';

const DISK_FULL = systemError('ENOSPC', 'no space left on device, write');
const DISK_BROKEN = systemError('EIO', 'i/o error');
const FOREIGN = 'not a record\n';
const RUNS = 20;
const MINUTE_MS = 60_000;
const BREAKABLE = [
  ...(['write', 'datasync', 'sync', 'truncate', 'rename', 'link', 'unlink'] as const),
  ...(['open', 'lstat', 'stat', 'statfs', 'chmod'] as const),
];

type Damage = 'truncate' | 'append' | 'replace' | 'remove';

/** Events in any order, whether or not the sink is writing. */
class Scene {
  readonly bench: SinkBench;
  #reached: ReachedRecord | null = null;
  #pending: Promise<unknown>[] = [];
  /** Where the segments are that were moved away. */
  readonly #moved = new Map<string, string>();
  /** Content of segments before they were damaged. */
  readonly #copies = new Map<string, Buffer>();

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

  burst(count: number): void {
    this.#pending.push(this.bench.append(count));
  }

  reopen(): void {
    this.#pending.push(this.bench.sink.reopen());
  }

  probe(): void {
    this.#pending.push(this.bench.sink.probe());
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
    const copy = this.#copies.get(path);
    if (copy === undefined) return;
    this.#copies.delete(path);
    this.#copies.set(target, copy);
  }

  /** All but those that the sink may be beginning or leaving, and as gzip those with another name. */
  compress(): void {
    const begun = this.#segments('plain').filter((path) => statSync(path).size > 0);
    for (const path of begun.slice(0, -2).filter((closed) => statSync(closed).nlink === 1)) {
      writeFileSync(`${path}.gz`, gzipSync(readFileSync(path)));
      rmSync(path);
    }
  }

  removeName(): void {
    rmSync(this.bench.file, { force: true });
  }

  /**
   * The open segment, between writes: what another program removes during a write, or of a closed
   * one, is lost with any sink.
   */
  async damage(how: Damage): Promise<void> {
    await this.settle();
    const path = this.#openSegment();
    if (path === null) return;
    if (how === 'remove') return rmSync(path);
    this.#copies.set(path, readFileSync(path));
    if (how === 'truncate') truncateSync(path, Math.floor(readFileSync(path).length / 2));
    if (how === 'append') appendFileSync(path, FOREIGN);
    if (how === 'replace') {
      writeFileSync(`${path}.other`, FOREIGN);
      renameSync(`${path}.other`, path);
    }
  }

  breakCalls(calls: readonly (typeof BREAKABLE)[number][]): void {
    this.mend();
    const error = calls.includes('write') ? DISK_FULL : DISK_BROKEN;
    for (const call of calls) Object.assign(this.bench.calls, { [call]: () => Promise.reject(error) });
  }

  mend(): void {
    Object.assign(this.bench.calls, nodeCalls);
  }

  /**
   * Also after failures. A start demands no more than the last acknowledged record, unless what is
   * before its segment was moved away, and what is before that was damaged.
   */
  async restart(): Promise<void> {
    await this.settle();
    this.mend();
    await this.bench.close();
    try {
      await this.open();
    } catch (error) {
      expect(error).to.be.instanceOf(AuditUnavailableError);
      const isDemanded = !this.#isLastRecordInPlace() || (this.#moved.size > 0 && this.#copies.size > 0);
      expect(isDemanded, String(error)).to.equal(true);
      this.restore();
      await this.open();
    }
  }

  async recover(): Promise<void> {
    await this.settle();
    this.mend();
    for (let attempt = 0; attempt < 5; attempt += 1) await this.bench.sink.reopen();
    expect(this.bench.sink.available).to.equal(true);
  }

  /** Every segment as an auditor would collect them. */
  restore(): void {
    for (const path of this.#segments('gzip')) {
      writeFileSync(path.slice(0, -'.gz'.length), gunzipSync(readFileSync(path)));
      rmSync(path);
    }
    for (const [path, content] of this.#copies)
      if (!existsSync(`${this.#moved.get(path) ?? path}.recovered`)) writeFileSync(path, content);
    this.#copies.clear();
    // The last one of a name counts.
    for (const [target, path] of [...this.#moved].toReversed()) this.#putBack(target, path);
    this.#moved.clear();
  }

  /** Unless the sink began the segment again, because its first record had not counted. */
  #putBack(target: string, path: string): void {
    const lines = readFileSync(target, 'utf8').trimEnd().split('\n');
    const start = `{"v":2,"seq":${parseSegmentName(basename(path))?.firstSeq},`;
    const isWritten = [...this.#segments('plain', 'recovered')].some((other) =>
      readFileSync(other, 'utf8')
        .split('\n')
        .some((line) => line.startsWith(start)),
    );
    if (isWritten) expect(lines, `records only in ${target}`).to.have.length(1);
    else renameSync(target, path);
  }

  #segments(...forms: readonly Segment['form'][]): readonly string[] {
    return this.bench
      .names()
      .filter((name) => forms.some((form) => form === parseSegmentName(name)?.form))
      .map((name) => join(this.bench.folder, name));
  }

  /** Null unless the sink writes and its segment is in place. */
  #openSegment(): string | null {
    const path = this.#segments('plain').at(-1);
    if (path === undefined || !this.bench.sink.available) return null;
    return lastRecord(path) === this.bench.sink.head.seq ? path : null;
  }

  #isLastRecordInPlace(): boolean {
    const newest = this.#segments('plain', 'recovered').findLast((path) => lastRecord(path) !== null);
    if (newest === undefined || this.#copies.has(newest)) return false;
    return (lastRecord(newest) ?? 0) >= this.bench.sink.head.seq;
  }
}

/** Number of the last complete line; NaN for no record, null without a complete line. */
function lastRecord(path: string): number | null {
  const line = readFileSync(path, 'utf8').split('\n').at(-2);
  if (line === undefined) return null;
  const record = readRecord(line);
  return 'issue' in record ? Number.NaN : record.seq;
}

type Step = (scene: Scene) => unknown;

function step(name: string, run: Step): { readonly run: Step; toString(): string } {
  return { run, toString: () => name };
}

const steps = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.integer({ min: 1, max: 20 }).map((count) => step(`burst ${count}`, (s) => s.burst(count))),
  },
  { weight: 2, arbitrary: fc.constant(step('move', (s) => s.move())) },
  { weight: 1, arbitrary: fc.constant(step('compress', (s) => s.compress())) },
  { weight: 1, arbitrary: fc.constant(step('remove name', (s) => s.removeName())) },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom<Damage>('truncate', 'append', 'replace', 'remove')
      .map((how) => step(how, (s) => s.damage(how))),
  },
  {
    weight: 2,
    arbitrary: fc
      .subarray(BREAKABLE, { minLength: 1, maxLength: 3 })
      .map((calls) => step(`break ${calls}`, (s) => s.breakCalls(calls))),
  },
  { weight: 3, arbitrary: fc.constant(step('mend', (s) => s.mend())) },
  { weight: 3, arbitrary: fc.constant(step('reopen', (s) => s.reopen())) },
  { weight: 1, arbitrary: fc.constant(step('probe', (s) => s.probe())) },
  { weight: 2, arbitrary: fc.constant(step('settle', (s) => s.settle())) },
  { weight: 2, arbitrary: fc.constant(step('turn', () => nextTurn())) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 25 }).map((ms) => step(`sleep ${ms}`, () => sleep(ms))) },
  { weight: 1, arbitrary: fc.constant(step('minute', (s) => s.bench.clock.advance(MINUTE_MS))) },
  { weight: 2, arbitrary: fc.constant(step('restart', (s) => s.restart())) },
);

/** Issues that an auditor would see. */
function findIssues(files: readonly ParsedFile[], { key }: SinkBench): readonly (string | null)[] {
  const verifier = new ChainVerifier({ head: EMPTY_CHAIN, trustedKeys: [Buffer.from(key.publicKey)] });
  const issues = files.flatMap(({ lines }) =>
    lines.map((line, index) => {
      const record = readRecord(line);
      return 'issue' in record ? record.issue : verifier.accept(record, index === 0);
    }),
  );
  return issues.filter((issue) => issue !== null);
}

describe('The audit sink under random events', () => {
  const folder = useTemporaryFolder();

  it('has every acknowledged record once, in one unbroken chain, counted once, and recovers', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 30 }), async (story) => {
        const scene = new Scene(join(folder(), `run-${run++}`));
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
          scene.mend();
          await bench.close();
        }
        scene.restore();
        const { ids, files } = bench.verify();
        expect(findIssues(files, bench)).to.deep.equal([]);
        expect(bench.refused.filter((id) => bench.acknowledged.includes(id))).to.deep.equal([]);
        const counted = bench.usage.counted.filter(({ event }) => event === 'sign').length;
        expect(counted).to.equal(bench.acknowledged.length);
        expect(ids.length).to.be.at.least(counted);
      }),
      { numRuns: RUNS },
    );
  }).timeout(120_000);
});
