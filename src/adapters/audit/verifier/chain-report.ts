import type {
  AuditNote,
  ClockSetBacks,
  OutcomeCounts,
  RecordPosition,
  VerifiedChain,
  VerifiedFile,
} from '../../../domain/model/audit-verdict.ts';
import type { ChainVerifier } from '../record/chain-verifier.ts';
import type { ReadRecord } from '../record/read-record.ts';

/** Instances reported; bounds memory. */
const MAX_INSTANCES = 10_000;
/** Records are in queue order; times may differ slightly. */
export const CLOCK_TOLERANCE_MS = 1000;
const NONE: OutcomeCounts = { success: 0, refused: 0, failed: 0 };

interface FileSpan {
  readonly file: string;
  readonly first: RecordPosition;
  last: RecordPosition;
  lines: number;
  clockSetBacks: ClockSetBacks | null;
}

/** One chain while its files are read. */
export class ChainReport {
  readonly #verifier: ChainVerifier;
  readonly #files: FileSpan[] = [];
  readonly #instanceIds = new Set<string>();
  readonly #keys: Buffer[] = [];
  readonly #events = new Map<string, Map<string, number>>();
  #covered = 0;
  #firstReason: string | null = null;
  /** The last record except segment records. */
  #lastEvent: RecordPosition | null = null;

  constructor(verifier: ChainVerifier) {
    this.#verifier = verifier;
  }

  get head() {
    return this.#verifier.head;
  }

  /** Number of the first record; 0 before it. */
  get firstSeq(): number {
    return this.#verifier.verified?.first.seq ?? 0;
  }

  /** Time of the first record, ISO 8601 UTC; empty before it. */
  get firstTime(): string {
    return this.#verifier.verified?.first.time ?? '';
  }

  /** Why its first file began; null before the first record. */
  get firstReason(): string | null {
    return this.#firstReason;
  }

  /** Time of the last record, ISO 8601 UTC; empty before the first. */
  get lastTime(): string {
    return this.#verifier.verified?.last.time ?? '';
  }

  /** Number of the last record; 0 before the first. */
  get lastSeq(): number {
    return this.#verifier.verified?.last.seq ?? 0;
  }

  /** Keys named by its files, 32 bytes each. */
  get publicKeys(): readonly Buffer[] {
    return this.#keys;
  }

  /** Whether a signature or checkpoint covers any of its records. */
  get isSigned(): boolean {
    return Math.max(this.#verifier.verified?.covered ?? 0, this.#covered) > 0;
  }

  /** Records after the last signed one. */
  get unsigned(): number {
    return this.#verifier.unsigned;
  }

  /** Remarks about its files that are not failures. */
  get notes(): readonly AuditNote[] {
    return this.#files.flatMap(({ file, clockSetBacks }) =>
      clockSetBacks === null ? [] : [{ file, message: formatSetBacks(clockSetBacks) }],
    );
  }

  /** Path and number of lines of the last file. */
  get lastFile(): { readonly file: string; readonly lines: number } {
    const { file = '', lines = 0 } = this.#files.at(-1) ?? {};
    return { file, lines };
  }

  /** Path of the first file. */
  get firstFile(): string {
    return this.#files[0]?.file ?? '';
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
    const { seq, time, event, outcome } = record;
    if (line === 1) this.#begin(record, file);
    const span = this.#files.at(-1);
    if (span !== undefined) {
      span.last = { seq, time };
      span.lines = line;
    }
    if (this.#instanceIds.size < MAX_INSTANCES) this.#instanceIds.add(record.instanceId);
    if (event !== 'segment') {
      this.#countEvent(event, outcome);
      this.#compareTimes({ seq, time }, line);
    }
    return null;
  }

  /** Marks records up to `seq` as covered by a checkpoint. */
  cover(seq: number): void {
    this.#covered = Math.max(this.#covered, seq);
  }

  /** Null when no record was valid. */
  report(): VerifiedChain | null {
    const verified = this.#verifier.verified;
    if (verified === null) return null;
    const { first, last, signatures, covered } = verified;
    return {
      files: this.#files.map(({ file, first, last }): VerifiedFile => ({ file, first, last })),
      instanceIds: [...this.#instanceIds],
      publicKeys: this.#keys.map((key) => key.toString('base64')),
      first,
      last,
      records: last.seq - first.seq + 1,
      events: Object.fromEntries(
        [...this.#events].map(([event, counts]) => [event, { ...NONE, ...Object.fromEntries(counts) }]),
      ),
      checkpoints: signatures,
      covered: Math.max(covered, this.#covered),
      uncovered: Math.min(this.#verifier.unsigned, last.seq - this.#covered),
      clockSetBacks: this.#files.reduce<ClockSetBacks | null>(
        (sum, { clockSetBacks }) => add(sum, clockSetBacks),
        null,
      ),
    };
  }

  #begin({ seq, time, data }: ReadRecord, file: string): void {
    if (this.#files.length === 0) this.#firstReason = String(data?.['reason']);
    this.#files.push({ file, first: { seq, time }, last: { seq, time }, lines: 1, clockSetBacks: null });
    const key = this.#verifier.key;
    if (key !== null && !this.hasKey(key)) this.#keys.push(key);
  }

  #compareTimes(at: RecordPosition, line: number): void {
    const before = this.#lastEvent;
    this.#lastEvent = at;
    const span = this.#files.at(-1);
    if (before === null || span === undefined) return;
    if (before.time <= at.time) return;
    const milliseconds = Date.parse(before.time) - Date.parse(at.time);
    if (milliseconds <= CLOCK_TOLERANCE_MS) return;
    const first = { file: span.file, line, at, before, milliseconds };
    span.clockSetBacks = add(span.clockSetBacks, { count: 1, first, largestMilliseconds: milliseconds });
  }

  #countEvent(event: string, outcome: string): void {
    const counts = this.#events.get(event) ?? new Map<string, number>();
    this.#events.set(event, counts.set(outcome, (counts.get(outcome) ?? 0) + 1));
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
  return `has times that run backwards: record ${at.seq} on line ${line} has ${at.time}, and record ${before.seq} before it has ${before.time}, ${formatSeconds(milliseconds)} later${more}. The clock was set back`;
}

/** Seconds, such as `3569.5 s`. */
function formatSeconds(milliseconds: number): string {
  return `${milliseconds / 1000} s`;
}
