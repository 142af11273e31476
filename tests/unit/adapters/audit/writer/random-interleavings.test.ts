import { copyFileSync, existsSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { nodeFileOperations } from '../../../../../src/adapters/audit/file/file-operations.ts';
import { ChainVerifier } from '../../../../../src/adapters/audit/record/chain-verifier.ts';
import { readRecord } from '../../../../../src/adapters/audit/record/read-record.ts';
import { EMPTY_CHAIN } from '../../../../../src/adapters/audit/record/signed-record.ts';
import type { ParsedFile } from '../../../../harness/verified-chain.ts';
import { SinkBench, systemError, useTemporaryFolder } from '../sink-bench.ts';

const DISK_FULL = systemError('ENOSPC', 'no space left on device, write');
const DISK_BROKEN = systemError('EIO', 'i/o error');
const RUNS = 20;
const MINUTE_MS = 60_000;

/** Events in any order, whether or not the sink is writing. */
class Scene {
  readonly bench: SinkBench;
  readonly options = { rotation: { bytes: 6000, hours: 0, files: 0 }, timeoutMs: 5000 };
  #pending: Promise<unknown>[] = [];
  #renames = 0;
  #isTruncated = false;

  constructor(folder: string) {
    this.bench = new SinkBench(folder);
  }

  burst(count: number): void {
    this.#pending.push(this.bench.append(count));
  }

  async settle(): Promise<void> {
    await Promise.all(this.#pending.splice(0));
  }

  rename(create: boolean): void {
    const { file } = this.bench;
    if (!existsSync(file)) return;
    this.#renames += 1;
    renameSync(file, `${file}.${this.#renames}`);
    if (create) writeFileSync(file, '', { flag: 'wx' });
  }

  remove(): void {
    rmSync(this.bench.file, { force: true });
  }

  /** Only between writes: otherwise copytruncate loses records, which no sink can prevent. */
  async copyTruncate(): Promise<void> {
    await this.recover();
    const { file } = this.bench;
    this.#renames += 1;
    copyFileSync(file, `${file}.${this.#renames}`);
    truncateSync(file, 0);
    this.#isTruncated = true;
  }

  breakCalls(calls: readonly ('write' | 'fdatasync' | 'ftruncate' | 'rename' | 'open' | 'stat' | 'fsync')[]): void {
    this.mend();
    const error = calls.includes('write') ? DISK_FULL : DISK_BROKEN;
    for (const call of calls) Object.assign(this.bench.calls, { [call]: () => Promise.reject(error) });
  }

  mend(): void {
    Object.assign(this.bench.calls, nodeFileOperations);
  }

  reopen(): void {
    this.#pending.push(this.bench.sink.reopen());
  }

  /** Also after failures; but truncation must be detected by the running service. */
  async restart(): Promise<void> {
    if (this.#isTruncated) await this.recover();
    await this.settle();
    this.mend();
    await this.bench.close();
    await this.bench.open(this.options);
  }

  async recover(): Promise<void> {
    await this.settle();
    this.mend();
    for (let attempt = 0; attempt < 5; attempt += 1) await this.bench.sink.reopen();
    expect(this.bench.sink.available).to.equal(true);
    this.#isTruncated = false;
  }
}

type Step = (scene: Scene) => unknown;

function step(name: string, run: Step): { readonly run: Step; toString(): string } {
  return { run, toString: () => name };
}

/**
 * A file that can be neither truncated nor checked keeps its segment record, so that one may appear
 * twice.
 */
const breakable = fc
  .subarray(['write', 'fdatasync', 'ftruncate', 'rename', 'open', 'stat', 'fsync'] as const, {
    minLength: 1,
    maxLength: 3,
  })
  .filter((calls) => !(calls.includes('ftruncate') && calls.includes('stat')));

const steps = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.integer({ min: 1, max: 20 }).map((count) => step(`burst ${count}`, (s) => s.burst(count))),
  },
  { weight: 2, arbitrary: fc.boolean().map((create) => step(`rename ${create}`, (s) => s.rename(create))) },
  { weight: 1, arbitrary: fc.constant(step('remove', (s) => s.remove())) },
  { weight: 1, arbitrary: fc.constant(step('copytruncate', (s) => s.copyTruncate())) },
  { weight: 2, arbitrary: breakable.map((calls) => step(`break ${calls}`, (s) => s.breakCalls(calls))) },
  { weight: 3, arbitrary: fc.constant(step('mend', (s) => s.mend())) },
  { weight: 3, arbitrary: fc.constant(step('reopen', (s) => s.reopen())) },
  { weight: 2, arbitrary: fc.constant(step('settle', (s) => s.settle())) },
  { weight: 2, arbitrary: fc.constant(step('turn', () => nextTurn())) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 25 }).map((ms) => step(`sleep ${ms}`, () => sleep(ms))) },
  { weight: 1, arbitrary: fc.constant(step('minute', (s) => s.bench.clock.advance(MINUTE_MS))) },
  { weight: 1, arbitrary: fc.constant(step('restart', (s) => s.restart())) },
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
        await bench.open(scene.options);
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
        const { ids, files } = bench.verify();
        expect(findIssues(files, bench)).to.deep.equal([]);
        expect(bench.refused.filter((id) => bench.acknowledged.includes(id))).to.deep.equal([]);
        const counted = bench.usage.counted.length;
        expect(counted).to.equal(bench.acknowledged.length);
        expect(ids.length).to.be.at.least(counted);
      }),
      { numRuns: RUNS },
    );
  }).timeout(120_000);
});
