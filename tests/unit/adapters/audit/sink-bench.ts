import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { segmentPath } from '../../../../src/adapters/audit/segments/segment-names.ts';
import type { ReachedRecord } from '../../../../src/adapters/audit/writer/open-chain.ts';
import { type AuditSinkOptions, WinstonAuditSink } from '../../../../src/adapters/audit/writer/winston-audit-sink.ts';
import type { AuditEntry } from '../../../../src/domain/model/audit-entry.ts';
import { AuditUnavailableError } from '../../../../src/domain/model/errors.ts';
import { AuditChain, createAuditKey } from '../../../doubles/audit-chain.ts';
import { type FileCalls, nodeCalls, toFileSystem } from '../../../doubles/file-calls.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';
import { RecordingUsageLedger } from '../../../doubles/recording-usage-ledger.ts';
import { sampleAuditEntry } from '../../../doubles/sample-audit-entry.ts';
import { type VerifiedChain, verifyChain } from '../../../harness/verified-chain.ts';
import { useTemporaryFolder } from '../secret-files/temporary-folder.ts';

const TIMEOUT_MS = 30_000;
/** Longer than any test; only timeout tests set another. */
const NEVER_MS = 600_000;
const POLL_MS = 5;
const LONGEST_RETRY_MS = 10_000;
const RETRIES = 4;
const MAX_GROUP = 500;

/** Signs the records of each {@link SinkBench}. */
export const AUDIT_KEY = createAuditKey();

/** Options of the sink beside the bench's own. */
export interface BenchOptions extends Partial<AuditSinkOptions> {
  /** A record known to be written. */
  readonly reached?: ReachedRecord | null;
}

/**
 * An audit sink in a folder, with replaceable file operations and a list of what it acknowledged
 * and refused.
 */
export class SinkBench {
  readonly folder: string;
  readonly file: string;
  readonly clock = new FixedClock();
  readonly key = AUDIT_KEY;
  /** Replaceable at any time. */
  readonly calls: FileCalls = { ...nodeCalls };
  readonly acknowledged: string[] = [];
  readonly refused: string[] = [];
  /** Of all sinks opened here. */
  readonly usage = new RecordingUsageLedger();
  log = new RecordingServiceLog();
  #sink: WinstonAuditSink | null = null;
  #next = 0;

  constructor(folder: string) {
    this.folder = folder;
    this.file = join(folder, 'audit.jsonl');
  }

  get sink(): WinstonAuditSink {
    if (this.#sink === null) throw new Error('The sink was not opened.');
    return this.#sink;
  }

  async open({ reached = null, ...options }: BenchOptions = {}): Promise<WinstonAuditSink> {
    this.log = new RecordingServiceLog();
    this.#sink = await WinstonAuditSink.open({
      file: this.file,
      writer: { key: this.key, instanceId: 'instance-1', clock: this.clock },
      log: this.log,
      usage: this.usage,
      fileSystem: toFileSystem(this.calls),
      timeoutMs: NEVER_MS,
      findReached: () => Promise.resolve(reached),
      ...options,
    });
    return this.#sink;
  }

  /** Message of the error that refuses to open; fails the test if it opens. */
  async openError(options: BenchOptions = {}): Promise<string> {
    const error = await this.open(options).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(AuditUnavailableError);
    return (error as Error).message;
  }

  async close(): Promise<void> {
    await this.#sink?.close();
  }

  async restart(options?: BenchOptions): Promise<void> {
    await this.close();
    await this.open(options);
  }

  /** Lets calls of the file system fail, until {@link mend}. */
  fail(error: Error, ...calls: readonly (keyof FileCalls)[]): void {
    for (const call of calls) Object.assign(this.calls, { [call]: () => Promise.reject(error) });
  }

  /** Gives all calls of the file system back. */
  mend(): void {
    Object.assign(this.calls, nodeCalls);
  }

  /** Path of the segment that begins with this record. */
  segment(firstSeq: number): string {
    return segmentPath(this.file, firstSeq);
  }

  /** Number of entries that the usage ledger counted, without the sink's own. */
  get counted(): number {
    return this.usage.counted.filter(({ event }) => event === 'sign').length;
  }

  /** Sorted names in the folder, without the lock. */
  names(): readonly string[] {
    return readdirSync(this.folder)
      .filter((name) => !name.endsWith('.lock'))
      .sort();
  }

  /** Content of each of {@link names}: of a link, where it leads; of a folder or pipe, none. */
  contents(): { readonly [name: string]: string } {
    const entries = this.names().map((name) => {
      const path = join(this.folder, name);
      const stats = lstatSync(path);
      if (stats.isSymbolicLink()) return [name, readlinkSync(path)];
      return [name, stats.isFile() ? readFileSync(path, 'latin1') : ''];
    });
    return Object.fromEntries(entries);
  }

  /** Appends entries with unique ids at once; resolves with the messages of refusals. */
  async append(count = 1, fields: Partial<AuditEntry> = {}): Promise<readonly string[]> {
    const time = new Date(this.clock.now()).toISOString();
    const ids = Array.from({ length: count }, () => `c-${this.#next++}`);
    const reasons = await Promise.all(
      ids.map((correlationId) =>
        this.sink.append(sampleAuditEntry({ time, correlationId, ...fields })).then(
          () => {
            this.acknowledged.push(correlationId);
            return null;
          },
          (error: unknown) => {
            expect(error).to.be.instanceOf(AuditUnavailableError);
            this.refused.push(correlationId);
            return (error as Error).message;
          },
        ),
      ),
    );
    return reasons.filter((reason) => reason !== null);
  }

  async available(): Promise<void> {
    await until(() => this.sink.available, 'the sink is available again');
  }

  /** Waits until the sink writes again, which it does without any loss. */
  async resume(): Promise<void> {
    await this.available();
    expect(await this.append(2)).to.deep.equal([]);
    this.verifyExactly();
  }

  /** Verifies one unbroken chain with every acknowledged record once, in order. */
  verify(): VerifiedChain {
    const chain = verifyChain(this.folder);
    expect(new Set(chain.ids).size, 'no record twice').to.equal(chain.ids.length);
    const expectedIds = new Set(this.acknowledged);
    const expected = [...this.acknowledged].sort(byNumber);
    expect(chain.ids.filter((id) => expectedIds.has(String(id)))).to.deep.equal(expected);
    return chain;
  }

  /** Like `verify`, and the file has no refused record. */
  verifyExactly(): VerifiedChain {
    const chain = this.verify();
    expect(chain.ids).to.have.length(this.acknowledged.length);
    return chain;
  }

  /** Why each file began, of what {@link verifyExactly} verifies. */
  reasons(): readonly unknown[] {
    return this.verifyExactly().files.map(({ reason }) => reason);
  }
}

/**
 * Gives each test a bench in an empty folder; closes it and restores its file system afterwards.
 */
export function useSinkBench(): () => SinkBench {
  let bench: SinkBench | null = null;
  // Before the folder is removed.
  afterEach(async () => {
    bench?.mend();
    await bench?.close();
  });
  const folder = useTemporaryFolder();
  beforeEach(() => {
    bench = new SinkBench(folder.path(''));
  });
  return () => {
    if (bench === null) throw new Error('There is a bench only in tests.');
    return bench;
  };
}

let endRetryWait = () => {};

/** Retries of sinks begin when a test waits for something, instead of after 0.1 s and more. */
export function usePromptRetries(): void {
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    endRetryWait = () => mock.timers.tick(LONGEST_RETRY_MS);
  });
  afterEach(() => {
    mock.timers.reset();
    endRetryWait = () => {};
  });
}

/** Lets scheduled retries begin, and gives them time to end. */
export async function passRetryWaits(): Promise<void> {
  for (let attempt = 0; attempt < RETRIES; attempt += 1) {
    endRetryWait();
    await sleep(POLL_MS);
  }
}

/** One segment with so many records, by default of a {@link SinkBench}; the last one is signed. */
export function signedChain(records: number, key = AUDIT_KEY): AuditChain {
  const chain = new AuditChain({ key });
  appendSigned(chain, records - 1);
  return chain;
}

/** Appends records in groups as long as a sink may write them. */
export function appendSigned(chain: AuditChain, count: number): void {
  for (let index = 1; index <= count; index += 1) {
    chain.append(sampleAuditEntry({ correlationId: `before-${index}` }));
    if (index % MAX_GROUP === 0) chain.sign();
  }
  chain.sign();
}

/** Blocks calls until opened. */
export interface Gate {
  readonly passed: Promise<void>;
  open(): void;
}

export function createGate(): Gate {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

/** Waits for a condition, or fails. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!condition()) {
    if (performance.now() > deadline) expect.fail(`It did not come about that ${what}.`);
    endRetryWait();
    await sleep(POLL_MS);
  }
}

function byNumber(left: string, right: string): number {
  return Number(left.slice(2)) - Number(right.slice(2));
}

/** A system call error, as from `node:fs`. */
export function systemError(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}

export const DISK_FULL = systemError('ENOSPC', 'no space left on device, write');
export const DISK_BROKEN = systemError('EIO', 'i/o error, write');

/** Options with which each group begins a segment. */
export const ROTATING: BenchOptions = { rotation: { bytes: 1, hours: 0, files: 0 } };
