import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { AuditSigningKey } from '../../../../src/adapters/audit/record/signed-record.ts';
import { segmentPath } from '../../../../src/adapters/audit/segments/segment-names.ts';
import type { ReachedRecord } from '../../../../src/adapters/audit/writer/open-chain.ts';
import { type AuditSinkOptions, WinstonAuditSink } from '../../../../src/adapters/audit/writer/winston-audit-sink.ts';
import type { AuditEntry } from '../../../../src/domain/model/audit-entry.ts';
import { AuditUnavailableError } from '../../../../src/domain/model/errors.ts';
import { createAuditKey } from '../../../doubles/audit-chain.ts';
import { type FileCalls, nodeCalls, toFileSystem } from '../../../doubles/file-calls.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';
import { RecordingUsageLedger } from '../../../doubles/recording-usage-ledger.ts';
import { sampleAuditEntry } from '../../../doubles/sample-audit-entry.ts';
import { type VerifiedChain, verifyChain } from '../../../harness/verified-chain.ts';

const TIMEOUT_MS = 30_000;
/** Longer than any test; only timeout tests set another. */
const NEVER_MS = 600_000;
const POLL_MS = 5;
const LONGEST_RETRY_MS = 10_000;
const RETRIES = 4;

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
  readonly key: AuditSigningKey;
  /** Replaceable at any time. */
  readonly calls: FileCalls = { ...nodeCalls };
  readonly acknowledged: string[] = [];
  readonly refused: string[] = [];
  /** Of all sinks opened here. */
  readonly usage = new RecordingUsageLedger();
  log = new RecordingServiceLog();
  #sink: WinstonAuditSink | null = null;
  #next = 0;

  constructor(folder: string, key = createAuditKey()) {
    this.folder = folder;
    this.key = key;
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
    const error = await this.open(options).then(
      () => expect.fail('The sink was opened.'),
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(AuditUnavailableError);
    return (error as Error).message;
  }

  async close(): Promise<void> {
    await this.#sink?.close();
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
}

/**
 * Gives each test a bench in the folder; afterwards restores the file system and closes the sink.
 */
export function useSinkBench(folder: () => string, key?: AuditSigningKey): () => SinkBench {
  let bench: SinkBench | null = null;
  beforeEach(() => {
    bench = new SinkBench(folder(), key);
  });
  afterEach(async () => {
    Object.assign(bench?.calls ?? {}, nodeCalls);
    await bench?.close();
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

/** Gives each test an empty folder; removed after all tests, when every sink is closed. */
export function useTemporaryFolder(): () => string {
  const folders: string[] = [];
  beforeEach(async () => {
    folders.push(await mkdtemp(join(tmpdir(), 'audit-sink-')));
  });
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));
  return () => folders.at(-1) ?? '';
}

/** A system call error, as from `node:fs`. */
export function systemError(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}
