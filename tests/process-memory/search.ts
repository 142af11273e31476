import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import {
  explainUnreadable,
  type MappedRange,
  mappedRanges,
  pageBytesOf,
  populatedParts,
  type Stretch,
} from './pages.ts';
import { type Pattern, PatternIndex, patternsOf } from './patterns.ts';
import type { Secret } from './secrets.ts';

/** A part of a secret's form found in memory. */
export interface Trace {
  readonly secret: Secret;
  readonly form: string;
  /** Index of the part. */
  readonly part: number;
  readonly address: number;
  /** Its range: `rw-p [heap]`. */
  readonly place: string;
}

/** Findings and coverage of a search. */
export interface MemorySearch {
  readonly traces: readonly Trace[];
  readonly patternCount: number;
  readonly searchedBytes: number;
  /** Searched bytes that the process itself cannot read. */
  readonly withoutAccessBytes: number;
  /** Reserved but never used addresses. */
  readonly unusedBytes: number;
  readonly unreadable: readonly UnreadableMemory[];
}

/** Mapped but unreadable addresses. */
export interface UnreadableMemory {
  readonly place: string;
  readonly bytes: number;
  /** Why it cannot hold process data; undefined if unknown. */
  readonly reason: string | undefined;
}

/** The memory may not be read. The message names the remedy. */
export class MemoryAccessError extends Error {
  override readonly name = 'MemoryAccessError';
}

const CHUNK_BYTES = 8 * 1024 * 1024;
/** Node uses far more; less means nothing was searched. */
const MIN_BYTES = 10_000_000;

/**
 * Searches a process's entire memory, inaccessible pages included (Linux). Requires root, or a
 * child process where permitted.
 * @param chunkBytes a multiple of the page size
 * @throws MemoryAccessError if not permitted
 * @throws Error if too little could be read
 */
export function searchMemory(pid: number, secrets: readonly Secret[], chunkBytes = CHUNK_BYTES): MemorySearch {
  if (process.platform !== 'linux') {
    throw new Error(`Only Linux shows the memory of a process as a file, and this is ${process.platform}.`);
  }
  const memory = openMemory(pid);
  try {
    return new Search(pid, memory, patternsOf(secrets), chunkBytes).run();
  } finally {
    closeSync(memory);
  }
}

function openMemory(pid: number): number {
  try {
    return openSync(`/proc/${pid}/mem`, 'r');
  } catch (error) {
    throw new MemoryAccessError(
      `The memory of process ${pid} may not be read (${String(error)}). Run this as the user of that process or as root. ${ptraceScope()}` +
        'In a container, add the capability SYS_PTRACE.',
      { cause: error },
    );
  }
}

function ptraceScope(): string {
  try {
    const scope = readFileSync('/proc/sys/kernel/yama/ptrace_scope', 'utf8').trim();
    return `kernel.yama.ptrace_scope is ${scope} and has to be 0 or 1: \`sudo sysctl kernel.yama.ptrace_scope=1\` (from 3, after a restart). `;
  } catch {
    // No Yama, no limit.
    return '';
  }
}

class Search {
  readonly #pid: number;
  readonly #memory: number;
  readonly #index: PatternIndex;
  readonly #pageBytes: number;
  readonly #chunkBytes: number;
  /** The previous read's tail, in which a pattern may start, then the next read. */
  readonly #buffer: Buffer;
  #keptBytes = 0;
  /** Address after the tail. */
  #tailEnd = 0;

  readonly #traces: Trace[] = [];
  readonly #unreadable = new Map<string, UnreadableMemory>();
  #searchedBytes = 0;
  #withoutAccessBytes = 0;
  #mappedBytes = 0;

  constructor(pid: number, memory: number, patterns: readonly Pattern[], chunkBytes: number) {
    this.#pid = pid;
    this.#memory = memory;
    this.#index = new PatternIndex(patterns);
    this.#pageBytes = pageBytesOf(pid);
    this.#chunkBytes = chunkBytes;
    this.#buffer = Buffer.alloc(this.#index.longest + chunkBytes);
  }

  run(): MemorySearch {
    for (const range of mappedRanges(this.#pid)) {
      this.#mappedBytes += range.end - range.start;
      // The kernel's half, of which x86-64 shows one page: [vsyscall].
      if (range.end > Number.MAX_SAFE_INTEGER) this.#miss(range, range.start, range.end - range.start);
      else this.#searchRange(range);
    }
    if (this.#searchedBytes < MIN_BYTES) {
      throw new Error(`Only ${this.#searchedBytes} bytes of process ${this.#pid} could be searched.`);
    }
    const unreadable = [...this.#unreadable.values()];
    const missedBytes = unreadable.reduce((sum, { bytes }) => sum + bytes, 0);
    return {
      traces: this.#traces,
      patternCount: this.#index.patterns.length,
      searchedBytes: this.#searchedBytes,
      withoutAccessBytes: this.#withoutAccessBytes,
      unusedBytes: this.#mappedBytes - this.#searchedBytes - missedBytes,
      unreadable,
    };
  }

  #searchRange(range: MappedRange): void {
    for (const part of populatedParts(this.#pid, range, this.#pageBytes)) this.#searchPart(range, part);
  }

  #searchPart(range: MappedRange, { start, end }: Stretch): void {
    for (let at = start; at < end; ) {
      if (at !== this.#tailEnd) this.#keptBytes = 0;
      const count = this.#read(at, Math.min(this.#chunkBytes, end - at));
      if (count === 0) {
        this.#miss(range, at, this.#pageBytes);
        at += this.#pageBytes;
        continue;
      }
      this.#searchChunk(range, at, count);
      at += count;
    }
  }

  #searchChunk(range: MappedRange, at: number, count: number): void {
    const bytes = this.#buffer.subarray(0, this.#keptBytes + count);
    this.#index.search(bytes, this.#keptBytes, ({ secret, form, part }, index) => {
      const address = at - this.#keptBytes + index;
      this.#traces.push({ secret, form, part, address, place: placeOf(range) });
    });
    this.#searchedBytes += count;
    if (!range.access.startsWith('r')) this.#withoutAccessBytes += count;
    const keep = Math.min(bytes.length, Math.max(0, this.#index.longest - 1));
    this.#buffer.copyWithin(0, bytes.length - keep, bytes.length);
    this.#keptBytes = keep;
    this.#tailEnd = at + count;
  }

  #read(address: number, length: number): number {
    try {
      return readSync(this.#memory, this.#buffer, this.#keptBytes, length, address);
    } catch {
      // Kernel pages, a device, or beyond a mapped file's end.
      return 0;
    }
  }

  #miss(range: MappedRange, address: number, bytes: number): void {
    const place = placeOf(range);
    const reason = explainUnreadable(range, address);
    const key = `${place} ${reason}`;
    this.#unreadable.set(key, { place, reason, bytes: bytes + (this.#unreadable.get(key)?.bytes ?? 0) });
  }
}

function placeOf({ access, name }: MappedRange): string {
  return `${access} ${name}`;
}
