import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';

/** Addresses from `start` up to, excluding, `end`. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** A mapped address range (proc_pid_maps(5)). */
export interface MappedRange extends Stretch {
  /** `rw-p`, or `---p` for inaccessible pages. */
  readonly access: string;
  /** Offset in the mapped file, bytes. */
  readonly offset: number;
  /** Mapped file, `[heap]`, or `anonymous`. */
  readonly name: string;
}

/** Entry of /proc/PID/pagemap, one per page. */
const ENTRY_BYTES = 8;
const ENTRIES_AT_ONCE = 65_536;
/** In an entry's last byte. */
const IN_RAM_OR_SWAP = 0xc0;
/** Page size in the auxiliary vector (getauxval(3)), and item size. */
const AT_PAGESZ = 6n;
const WORD_BYTES = 8;

/** All mapped ranges, by address. */
export function mappedRanges(pid: number): readonly MappedRange[] {
  return readFileSync(`/proc/${pid}/maps`, 'utf8').trimEnd().split('\n').map(rangeOf);
}

function rangeOf(line: string): MappedRange {
  const fields =
    /^(?<start>[0-9a-f]+)-(?<end>[0-9a-f]+) (?<access>\S+) (?<offset>[0-9a-f]+) \S+ \d+ *(?<name>.*)$/.exec(
      line,
    )?.groups;
  if (fields === undefined) throw new Error(`This is no line of /proc/PID/maps: ${line}`);
  const [start = 0, end = 0, offset = 0] = ['start', 'end', 'offset'].map((name) =>
    Number.parseInt(fields[name] ?? '', 16),
  );
  return { start, end, offset, access: fields['access'] ?? '', name: fields['name'] || 'anonymous' };
}

/**
 * The parts that can hold data: for anonymous memory, pages in RAM or swap; otherwise everything.
 * V8 reserves far more than it uses.
 */
export function populatedParts(pid: number, range: MappedRange, pageBytes: number): readonly Stretch[] {
  if (!/^(?:anonymous|\[heap\]|\[stack\]|\[anon:.*\])$/.test(range.name)) return [range];
  const parts: Stretch[] = [];
  const pagemap = openSync(`/proc/${pid}/pagemap`, 'r');
  try {
    const entries = Buffer.alloc(ENTRIES_AT_ONCE * ENTRY_BYTES);
    for (let at = range.start; at < range.end; ) {
      const wanted = Math.min(ENTRIES_AT_ONCE, (range.end - at) / pageBytes);
      const count = readSync(pagemap, entries, 0, wanted * ENTRY_BYTES, (at / pageBytes) * ENTRY_BYTES) / ENTRY_BYTES;
      if (count < 1) throw new Error(`/proc/${pid}/pagemap ends before ${range.name} at ${at.toString(16)}.`);
      for (let page = 0; page < count; page += 1) {
        const isPopulated = (entries.readUInt8(page * ENTRY_BYTES + ENTRY_BYTES - 1) & IN_RAM_OR_SWAP) !== 0;
        if (isPopulated) extend(parts, at + page * pageBytes, pageBytes);
      }
      at += count * pageBytes;
    }
  } finally {
    closeSync(pagemap);
  }
  return parts;
}

/** Page size, from the auxiliary vector. */
export function pageBytesOf(pid: number): number {
  const vector = readFileSync(`/proc/${pid}/auxv`);
  for (let at = 0; at + 2 * WORD_BYTES <= vector.length; at += 2 * WORD_BYTES) {
    if (vector.readBigUInt64LE(at) === AT_PAGESZ) return Number(vector.readBigUInt64LE(at + WORD_BYTES));
  }
  throw new Error(`/proc/${pid}/auxv names no page size.`);
}

function extend(parts: Stretch[], start: number, bytes: number): void {
  const last = parts.at(-1);
  if (last?.end === start) parts[parts.length - 1] = { start: last.start, end: start + bytes };
  else parts.push({ start, end: start + bytes });
}

/** Why an unreadable page cannot hold process data; undefined if uncertain. */
export function explainUnreadable({ name, start, offset }: MappedRange, address: number): string | undefined {
  // Kernel clock data and code, shared by all processes (vdso(7)).
  if (/^\[(?:vvar|vvar_vclock|vsyscall)\]$/.test(name)) return "the kernel's own";
  if (!name.startsWith('/')) return undefined;
  const size = statSync(name, { throwIfNoEntry: false })?.size ?? Number.POSITIVE_INFINITY;
  return offset + address - start >= size ? 'behind the end of the mapped file' : undefined;
}
