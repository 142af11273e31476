import type { AuditHead } from '../../../domain/model/audit-entry.ts';
import type {
  AuditNote,
  ClockSetBacks,
  OutcomeCounts,
  RecordPosition,
  VerifiedChain,
} from '../../../domain/model/audit-verdict.ts';
import { ChainVerifier } from '../record/chain-verifier.ts';
import type { ReadRecord } from '../record/read-record.ts';

/** Instances reported; bounds memory. */
const MAX_INSTANCES = 10_000;
/** Records are in queue order; times may differ slightly. */
export const CLOCK_TOLERANCE_MS = 1000;
const NO_RECORD: RecordPosition = { seq: 0, time: '' };

/** A file of a chain, as far as it was read. */
interface ReadFile {
  readonly file: string;
  readonly first: RecordPosition;
  last: RecordPosition;
  lines: number;
  clockSetBacks: ClockSetBacks | null;
}

/** One chain while its files are read. */
export class ChainReport {
  readonly #verifier: ChainVerifier;
  readonly #files: ReadFile[] = [];
  readonly #instanceIds = new Set<string>();
  readonly #keys: Buffer[] = [];
  readonly #events: { [event: string]: { -readonly [outcome in keyof OutcomeCounts]: number } } = {};
  #firstReason: unknown = null;
  /** The last record except segment records. */
  #lastEvent: RecordPosition | null = null;

  /**
   * @param head the record before the first one; null accepts any
   * @param trustedKeys 32 bytes each; null: those that the files name
   */
  constructor(head: AuditHead | null, trustedKeys: readonly Buffer[] | null) {
    this.#verifier = new ChainVerifier({ head, trustedKeys });
  }

  /** The last record; null before the first. */
  get head(): AuditHead | null {
    return this.#verifier.head;
  }

  /** Number 0 before it. */
  get first(): RecordPosition {
    return this.#verifier.verified?.first ?? NO_RECORD;
  }

  /** Number 0 before the first record. */
  get last(): RecordPosition {
    return this.#verifier.verified?.last ?? NO_RECORD;
  }

  /** Why the service began its first file; null before the first record. */
  get firstReason(): unknown {
    return this.#firstReason;
  }

  get firstFile(): string {
    return this.#files[0]?.file ?? '';
  }

  /** Name and number of lines of the last file. */
  get lastFile(): { readonly file: string; readonly lines: number } {
    return this.#files.at(-1) ?? { file: '', lines: 0 };
  }

  /** Keys named by its files, 32 bytes each. */
  get publicKeys(): readonly Buffer[] {
    return this.#keys;
  }

  /** Whether a signature covers any of its records. */
  get isSigned(): boolean {
    return (this.#verifier.verified?.covered ?? 0) > 0;
  }

  /** Records after the last signed one. */
  get unsigned(): number {
    return this.#verifier.unsigned;
  }

  /** Remarks about its files that are no faults. */
  get notes(): readonly AuditNote[] {
    return this.#files.flatMap(({ file, clockSetBacks }) =>
      clockSetBacks === null ? [] : [{ file, message: formatSetBacks(clockSetBacks) }],
    );
  }

  hasInstance(instanceId: string): boolean {
    return this.#instanceIds.has(instanceId);
  }

  /** @param key 32 bytes */
  hasKey(key: Uint8Array): boolean {
    return this.#keys.some((named) => named.equals(key));
  }

  /** Takes the record on this line. @returns the issue, or null */
  accept(record: ReadRecord, file: string, line: number): string | null {
    const issue = this.#verifier.accept(record, line === 1);
    if (issue !== null) return issue;
    const { seq, time, event, outcome, instanceId } = record;
    const read = line === 1 ? this.#begin(record, file) : this.#files.at(-1);
    if (read !== undefined) {
      read.last = { seq, time };
      read.lines = line;
    }
    if (this.#instanceIds.size < MAX_INSTANCES) this.#instanceIds.add(instanceId);
    if (event !== 'segment') {
      this.#events[event] ??= { success: 0, refused: 0, failed: 0 };
      this.#events[event][outcome] += 1;
      this.#compareTimes({ seq, time }, line);
    }
    return null;
  }

  /** Null when no record was valid. */
  report(): VerifiedChain | null {
    const verified = this.#verifier.verified;
    if (verified === null) return null;
    const { first, last, signatures, covered } = verified;
    return {
      files: this.#files.map(({ file, first, last }) => ({ file, first, last })),
      instanceIds: [...this.#instanceIds],
      publicKeys: this.#keys.map((key) => key.toString('base64')),
      first,
      last,
      records: last.seq - first.seq + 1,
      events: this.#events,
      checkpoints: signatures,
      covered,
      uncovered: this.#verifier.unsigned,
      clockSetBacks: this.#files.reduce((sum: ClockSetBacks | null, file) => add(sum, file.clockSetBacks), null),
    };
  }

  #begin({ seq, time, data }: ReadRecord, file: string): ReadFile {
    if (this.#files.length === 0) this.#firstReason = data?.['reason'];
    const { key } = this.#verifier;
    if (key !== null && !this.hasKey(key)) this.#keys.push(key);
    const read: ReadFile = { file, first: { seq, time }, last: { seq, time }, lines: 1, clockSetBacks: null };
    this.#files.push(read);
    return read;
  }

  #compareTimes(at: RecordPosition, line: number): void {
    const before = this.#lastEvent;
    this.#lastEvent = at;
    const read = this.#files.at(-1);
    if (before === null || read === undefined || before.time <= at.time) return;
    const milliseconds = Date.parse(before.time) - Date.parse(at.time);
    if (milliseconds <= CLOCK_TOLERANCE_MS) return;
    const first = { file: read.file, line, at, before, milliseconds };
    read.clockSetBacks = add(read.clockSetBacks, { count: 1, first, largestMilliseconds: milliseconds });
  }
}

function add(earlier: ClockSetBacks | null, later: ClockSetBacks | null): ClockSetBacks | null {
  if (earlier === null || later === null) return earlier ?? later;
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
