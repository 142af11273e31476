import type {
  AuditNote,
  ClockSetBacks,
  OutcomeCounts,
  ReachedCheckpoint,
  RecordPosition,
  VerifiedChain,
  VerifiedFile,
} from '../../../domain/model/audit-verdict.ts';
import { ChainVerifier } from '../record/chain-verifier.ts';
import { type ReadRecord, readRecord } from '../record/read-record.ts';
import { Fault } from './failures.ts';
import type { InputFile } from './input-files.ts';

/** Instances reported; bounds memory. */
const MAX_INSTANCES = 10_000;
/** Records are in queue order; times may differ slightly. */
export const CLOCK_TOLERANCE_MS = 1000;

/** A file of a chain, as far as it was read. */
interface ReadFile extends VerifiedFile {
  last: RecordPosition;
}

/** One chain while its files are read. */
export class ChainReport {
  readonly verifier: ChainVerifier;
  readonly firstFile: InputFile;
  /** As far as it was read. */
  lastFile: ReadFile;
  /** Keys named by its files, 32 bytes each. */
  readonly publicKeys: Buffer[] = [];
  /** By the file of the external checkpoints. */
  readonly reached = new Map<string, ReachedCheckpoint>();
  readonly #files: ReadFile[] = [];
  readonly #instanceIds = new Set<string>();
  readonly #events: { [event: string]: { -readonly [outcome in keyof OutcomeCounts]: number } } = {};
  /** By file. */
  readonly #setBacks = new Map<string, ClockSetBacks>();
  /** The last record except segment records. */
  #lastEvent: RecordPosition | null = null;

  /**
   * @param firstFile begins with any record
   * @param trustedKeys 32 bytes each; null: those that the files name
   */
  constructor(firstFile: InputFile, trustedKeys: readonly Buffer[] | null) {
    const { name: file, first } = firstFile;
    this.verifier = new ChainVerifier(trustedKeys);
    this.firstFile = firstFile;
    this.lastFile = { file, first, last: first };
  }

  /** Remarks about its files that are no faults. */
  get notes(): readonly AuditNote[] {
    return [...this.#setBacks].map(([file, setBacks]) => ({ file, message: formatSetBacks(setBacks) }));
  }

  hasInstance(instanceId: string): boolean {
    return this.#instanceIds.has(instanceId);
  }

  /** @param key 32 bytes */
  hasKey(key: Uint8Array): boolean {
    return this.publicKeys.some((named) => named.equals(key));
  }

  /** A fault of one of its records: each has a line. */
  faultAt(seq: number, message: string): Fault {
    const { file, first } = this.#files.findLast((one) => one.first.seq <= seq) ?? this.lastFile;
    return new Fault(file, seq - first.seq + 1, message);
  }

  /** Reads a line; null for one that cannot be read. @throws Fault for its issue */
  accept(text: string | null, file: string, line: number): ReadRecord {
    const record = readRecord(text);
    if ('issue' in record) throw new Fault(file, line, record.issue);
    const issue = this.verifier.accept(record, line === 1);
    if (issue !== null) throw new Fault(file, line, issue);
    const { seq, time, event, outcome, instanceId } = record;
    const at = { seq, time };
    if (line === 1) this.#begin({ file, first: at, last: at });
    this.lastFile.last = at;
    if (this.#instanceIds.size < MAX_INSTANCES) this.#instanceIds.add(instanceId);
    if (event === 'segment') return record;
    this.#events[event] ??= { success: 0, refused: 0, failed: 0 };
    this.#events[event][outcome] += 1;
    this.#compareTimes(at, line);
    return record;
  }

  /** Null when no record was valid. */
  report(): VerifiedChain | null {
    const { first, last, signatures, unsigned } = this.verifier;
    if (this.#files.length === 0) return null;
    return {
      files: this.#files,
      instanceIds: [...this.#instanceIds],
      publicKeys: this.publicKeys.map((key) => key.toString('base64')),
      first,
      last,
      records: last.seq - first.seq + 1,
      events: this.#events,
      checkpoints: signatures,
      covered: signatures === 0 ? 0 : last.seq - unsigned,
      uncovered: unsigned,
      clockSetBacks: [...this.#setBacks.values()].reduce(add, null),
    };
  }

  #begin(file: ReadFile): void {
    this.lastFile = file;
    this.#files.push(file);
    const { key } = this.verifier;
    if (key !== null && !this.hasKey(key)) this.publicKeys.push(key);
  }

  #compareTimes(at: RecordPosition, line: number): void {
    const { file } = this.lastFile;
    const before = this.#lastEvent;
    this.#lastEvent = at;
    if (before === null || before.time <= at.time) return;
    const milliseconds = Date.parse(before.time) - Date.parse(at.time);
    if (milliseconds <= CLOCK_TOLERANCE_MS) return;
    const first = { file, line, at, before, milliseconds };
    const step = { count: 1, first, largestMilliseconds: milliseconds };
    this.#setBacks.set(file, add(this.#setBacks.get(file) ?? null, step));
  }
}

function add(earlier: ClockSetBacks | null, later: ClockSetBacks): ClockSetBacks {
  if (earlier === null) return later;
  return {
    count: earlier.count + later.count,
    first: earlier.first,
    largestMilliseconds: Math.max(earlier.largestMilliseconds, later.largestMilliseconds),
  };
}

function formatSetBacks({ count, first: { line, at, before, milliseconds } }: ClockSetBacks): string {
  const more = count === 1 ? '' : `, and ${count - 1} more such ${count === 2 ? 'step' : 'steps'} in this file`;
  return `has times that run backwards: record ${at.seq} on line ${line} has ${at.time}, and record ${before.seq} before it has ${before.time}, ${milliseconds / 1000} s later${more}. The clock was set back`;
}
